"""Lines of the project's own for the comparison with jieba: what its rules tell apart, and plain prose.

Each sentence is also cut into halves, repeated, joined with the next and strewn with signs, so that some hundred lines
come of it; what they become is the same in every run.
"""

from collections.abc import Iterator
from itertools import pairwise

SENTENCES = r"""
图书馆的旧楼昨天下午停电了两个小时，管理员只好点起蜡烛登记还书。
我把数据从服务器上下载下来以后，先用脚本清洗了一遍，再导入数据库。
研究生命的起源和研究生命科学的人并不总是同一批人。
长春市长春节致辞时提到了长春药店。
他从马上下来，马上又跑回屋里拿雨伞。
下雨天留客天留我不留，这句话怎么断句都行。
结婚的和尚未结婚的都要填写这张表格。
武汉市长江大桥上的路灯全部换成了节能灯。
乒乓球拍卖完了，羽毛球拍还有几副。
小龙女说她也想过过过儿过过的生活。
王小明、欧阳娜娜和诸葛亮在咖啡厅里讨论区块链与石墨烯电池。
张三丰教李四光打太极拳，赵六在旁边看热闹。
阿卜杜拉·哈桑先生乘坐八点四十五分的航班抵达乌鲁木齐。
蘑菇屿的渔民管那种鱼叫“阿弥尾巴”，谁也说不清来历。
本合同一式两份，甲乙双方各执一份，自签字之日起生效。
第一百二十三条规定，违反本办法的，处以五千元以上三万元以下罚款。
二〇二六年十一月二十一日，气温零下三度，风力四到五级。
全场八五折，满三百减五十，截止到本周日晚上十二点。
一千零二十四个字节等于一千字节，许多人都记错了。
他的身高是一米七八，体重六十五公斤半。
把这段代码里的三元运算符改成条件语句会更容易读懂。
请在终端里运行apt-get install python3-pip再试一次。
配置文件sources.list和zh_TW.UTF-8语言包都需要更新。
版本号从v1.0.3-beta跳到了2.14，兼容性没有保证。
圆周率约等于3.1415926，误差小于0.01%，足够工程使用。
用C++和C#写的程序比用c语言写的启动慢20.5%左右。
把a.b.c改成a_b_c，再把x--改成x-=1。
邮箱是li.lei@example.com，主页在https://example.com/~lilei/index.html?id=42#top。
快捷键是Ctrl+Shift+T，不是Ctrl-Alt-Del。
函数foo_bar(x1,y2)返回-1或者None。
T恤打折，卡拉OK厅关门，AA制聚餐，B超检查，4S店维修。
AT&T公司和R&D部门都不在这里。
价格从￥99涨到＄１２８，涨幅约为２９％。
全角字母ＡＢＣ和半角字母ABC混在一起。
表情😀😂和旗帜🇨🇳夹在文字中间，还有👩‍💻这样的组合。
生僻字𠀀𪚥𠮷野家和㐀㐁不在常用范围里，龦鿕鿖鿗也是。
繁體中文的斷詞結果取決於詞典，這臺電腦裡沒有裝輸入法。
臺灣的計程車司機說，這條路晚上塞車塞得厲害。
後來我們裡外裡賠了不少錢，卻學會了怎麼說「不」。
春眠不覺曉，處處聞啼鳥。夜來風雨聲，花落知多少。
古者有喜则以名物，示不忘也，今人多不知其义。
之乎者也矣焉哉，用得成章好秀才。
这这这不可能，绝对绝对不可能！
哈哈哈哈哈哈哈哈笑死我了。
的的的了了了是是是在在在。
日本語の文章はかなと漢字でできている。
한국어 문장과 中文 문장을 섞어 쓴다.
Это русский текст с китайским словом 中国 внутри.
The quick brown fox不知道the lazy dog在哪里。
English only line with no Han at all, e.g. 3.5% of 1,000 items.
café naïve 和 Ångström 是带符号的字母。
“引号”、‘单引号’、《书名号》、【方括号】、（圆括号）以及——破折号……
零宽\u200b字符\u200d与\ufeff字节序标记\xad软连字符。
制表符\t和垂直制表符\v、换页符\f、单元分隔符\x1f都算空白。
全角空格　不间断空格\xa0窄空格\u202f行分隔符\u2028段落分隔符\u2029。
Windows换行\r\n旧式换行\r再换行\n\r\n\r\n结束
""".strip()

ODDITIES = [
    *("", " ", "\n", "\r\n\r", "\0中\0文"),
    *"中 a A型 。 😀 % - ---中--- a- -a 1. .1 1.2.3.4 100%% 50%off 3.% a1b2c3 +86-10-1234 c++++ #&+_ ____".split(),
    *"云计算 韩玉赏鉴 八一双鹿 凱特琳 鎓鎔鎕 龥龦龧 〇一二 々々 亖亗亘".split(),
]


def lines() -> Iterator[str]:
    """All lines, some hundred; the escapes of the text above are what they stand for."""
    sentences = [line.encode("raw_unicode_escape").decode("unicode_escape") for line in SENTENCES.splitlines()]
    yield from ODDITIES
    yield from sentences
    for one, other in pairwise(sentences):
        yield one.rstrip("。") + other
    for line in sentences:
        middle = len(line) // 2
        yield line[middle:]
        yield line[:middle] * 3
        yield line[::-1]
        yield "".join(c + "-._%+#& 1a"[k % 10] * (k % 3 == 0) for k, c in enumerate(line))
        yield "".join(c for c in line if "一" <= c <= "鿿") * 2
    yield "\n".join(sentences)
    yield "".join(c for line in sentences for c in line if c.isalnum())
    yield "长" * 3_000 + "abc" * 1_000 + "的了" * 1_000
