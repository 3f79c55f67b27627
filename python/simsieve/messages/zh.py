"""All texts in Chinese, by the English text; those of the help are in `zh_help`."""

from simsieve.messages.zh_edits import EDITS
from simsieve.messages.zh_help import HELP
from simsieve.messages.zh_read import READ_TEXTS
from simsieve.messages.zh_report import REPORT
from simsieve.messages.zh_schemes import SCHEMES
from simsieve.messages.zh_values import SAID

MESSAGES = {
    " (forecast {value})": "（预测 {value}）",
    " (see `{command} --help`)": "（用法见 `{command} --help`）",
    " Allowed: {allowed}.": "可取：{allowed}。",
    " Default: {default}.": "默认：{default}。",
    " Did you mean {meant}?": "是不是 {meant}？",
    " Example: {example}": "例：{example}",
    " Required.": "必须给出。",
    " and {count:,} old ones": "和 {count:,} 条旧记录",
    "* the default. Any width from 1 to 256 is allowed in most names.": (
        "* 是默认方案。多数名字里的位数可以是 1 到 256 的任何数。"
    ),
    "Details: simsieve schemes NAME": "细节：simsieve schemes NAME",
    ", as was found out": "（自动识别）",
    "--encoding with a pattern is for records: give one name for the pages, or none": (
        "带模式的 --encoding 只用于记录：网页请只给一个名字，或不给"
    ),
    ", more than --max-failed {limit} allows": "，多于 --max-failed {limit} 所允许的",
    ", neighbours by {bits} of 96 bits": "，相邻的词按 96 位中的 {bits} 位区分",
    "--annotate and --link are both given: annotated records go to a file; leave one out": (
        "--annotate 与 --link 不能同时用：加注的记录要写进一个文件；去掉其中一个"
    ),
    "--link needs -o FOLDER/, a folder for the links": "--link 需要 -o FOLDER/，即放链接的文件夹",
    "--save-all-pairs needs --save-run FILE, where the pairs go": (
        "--save-all-pairs 需要 --save-run FILE，相似的对就存在其中"
    ),
    "--save-config - is not allowed: give a file, or --print-config to print the settings": (
        "--save-config 不能是 -：请给文件名，或用 --print-config 打印设置"
    ),
    "--save-run - is not allowed: a saved run is read again, so give a file": (
        "--save-run 不能是 -：存下的运行以后要再读，请给文件名"
    ),
    "--save-run and --from-run are both given: the saved run serves every stricter threshold": (
        "--save-run 与 --from-run 不能同时用：存下的那次运行可用于任何更严的阈值"
    ),
    "-o FILE is missing: give a file, or - for stdout, or --dry-run to write nothing": (
        "缺少 -o FILE：请给文件名，或用 - 写到标准输出，或用 --dry-run 什么也不写"
    ),
    ":": "：",
    "Invalid value for '{name}': {why}": "'{name}' 的值不对：{why}",
    "Missing argument 'SOURCE...': name a file, or - for stdin, or --from-run FILE": (
        "缺少参数 'SOURCE...'：请给文件名，或用 - 读标准输入，或用 --from-run FILE"
    ),
    "Missing argument '{name}'.": "缺少参数 '{name}'。",
    "Missing option '{name}'.": "缺少选项 '{name}'。",
    "No such option {name}.": "没有选项 {name}。",
    "Options of a command: simsieve COMMAND --help. Version: simsieve -V.": (
        "某个命令的选项：simsieve COMMAND --help。版本：simsieve -V。"
    ),
    "SOURCE is missing: name a file, or give --documents N and --max-distance K": (
        "缺少 SOURCE：请给文件名，或用 --documents N 和 --max-distance K"
    ),
    "Usage: ": "用法：",
    "and {count:,} more differences; --json lists them all": "另有 {count:,} 处不同；--json 全部列出",
    "at {a}, {b}:  ": "位置 {a}、{b}：  ",
    "bits": "位",
    "candidate pairs": "候选对",
    "cluster table": "分组表",
    "clusters": "组数",
    "containment": "包含度",
    "decisions": "取舍表",
    "did you mean {number}?": "是不是 {number}？",
    "distance": "距离",
    "dropped records": "丢弃的记录",
    "duplicates of old": "与旧记录重复",
    "edit": "编辑相似度",
    "exact duplicates": "完全重复",
    "failed": "失败",
    "failed records": "失败的记录",
    "features": "特征",
    "times": "倍",
    "for what": "用途",
    "give a number such as 0.8": "请给一个数，例如 0.8",
    "interrupted; nothing was left half written": "已中断；没有留下写了一半的文件",
    "kept": "保留",
    "largest cluster": "最大的组",
    "lost by near": "近似重复所失",
    "median lost": "所失中位",
    "longest lost": "所失最长",
    "a bound of what is lost": "所失的上限",
    "{much:,} of {count:,} near duplicates at {threshold:g} lose a run of more than {most} units: --max-lost {most}"
    " keeps them": (
        "阈值 {threshold:g} 下，{count:,} 个近似重复中有 {much:,} 个失去多于 {most} 个单位的一段：--max-lost {most}"
        " 会保留它们"
    ),
    "--max-lost {units}: F1 {value:.4f} instead of {other:.4f}, precision {precision:.4f}, recall {recall:.4f}": (
        "--max-lost {units}：F1 由 {other:.4f} 变为 {value:.4f}，精确率 {precision:.4f}，召回率 {recall:.4f}"
    ),
    "median {median:g}, longest {longest:,} units": "中位数 {median:g}，最长 {longest:,} 个单位",
    "; {count:,} of {near:,} lose more than {units}": "；{near:,} 条中有 {count:,} 条失去多于 {units} 个单位",
    "model {digest}: {documents:,} documents, {features:,} features with hashes of {bits} bits": (
        "模型 {digest}：{documents:,} 篇文档，{features:,} 个特征，按 {bits} 位区分"
    ),
    "name": "名字",
    "near duplicates": "近似重复",
    "no features": "没有特征",
    "none: ": "无：",
    "none: a text has no features": "无：有一篇文本没有特征",
    "none: the scheme has no features": "无：该方案没有特征",
    "not measured": "没有测量",
    "1.0000 (the search was exact: every near pair is found)": "1.0000（精确搜索：所有近似对都会找到）",
    "nothing was dropped, and none of {sampled:,} sampled was missed": "没有丢弃，抽查的 {sampled:,} 篇也没有漏掉的",
    "nothing was written: --dry-run": "什么也没写：--dry-run",
    "old records": "旧记录",
    "output": "输出",
    "peak memory": "内存峰值",
    "of it": "其中",
    ", {anonymous} + {mapped} mapped": "，{anonymous} + 映射 {mapped}",
    "{anonymous} anonymous, {mapped} of mapped files": "匿名 {anonymous}，映射的文件 {mapped}",
    "{seconds:.2f} s, {cpu:.2f} CPU s": "{seconds:.2f} 秒，CPU {cpu:.2f} 秒",
    "read": "读入",
    "recall": "召回率",
    "repeated ids": "重复的 id",
    "saved run": "存下的运行",
    "seconds": "用时",
    "settings": "设置",
    "similarity": "相似度",
    "speed": "速度",
    "standard output": "标准输出",
    "summary": "运行摘要",
    "the memory is used up; use a machine with more, or ask `simsieve plan` how much a run takes": (
        "内存用完了；请换内存更大的机器，或先用 `simsieve plan` 看需要多少"
    ),
    "this is a fault of simsieve itself: please report it with the lines above": (
        "这是 simsieve 自身的错误：请连同上面几行一起报告"
    ),
    "this release of click has no completion for {shell}; there are {shells}": (
        "这一版 click 没有 {shell} 的补全；有的是 {shells}"
    ),
    "verified pairs": "核对过的对",
    "run directory": "运行目录",
    "not needed": "不需要",
    "refused: {held} of memory are needed, and {allowed} are allowed": "会被拒绝：需要内存 {held}，只允许 {allowed}",
    "{disk} of disk ({columns} columns, {keys} search keys, {pairs} pairs found, {decisions} decisions), which"
    " costs about {seconds} s, and {held} of memory, of {allowed} allowed; {copy} more of disk for texts of .gz,"
    " .zst, Parquet, WARC, streams and MongoDB": (
        "磁盘 {disk}（各列 {columns}，搜索键 {keys}，找到的对 {pairs}，取舍结果 {decisions}），"
        "约费 {seconds} 秒，内存 {held}（上限 {allowed}）；正文来自"
        " .gz、.zst、Parquet、WARC、流或 MongoDB 时磁盘另加 {copy}"
    ),
    " of {size} free": "，空闲 {size}",
    "; {count} bytes a document for good": "；每篇始终占 {count} 字节",
    "{seconds:,.2f} with {count} threads: ": "{seconds:,.2f}，{count} 个线程：",
    "{equals:.4f} at the threshold; {parts:.4f} at the largest ratio": (
        "恰在阈值上 {equals:.4f}；倍数最大时 {parts:.4f}"
    ),
    " in a kept document of at most {ratio:g} times the features": "（保留的文档的特征数最多是它的 {ratio:g} 倍）",
    "in kept documents of at most {ratio:g} times the features": "保留的文档的特征数最多是它的 {ratio:g} 倍",
    "{equals:.4f} at the threshold; {parts:.4f} if one text is a part of the other": (
        "恰在阈值上的对 {equals:.4f}；一篇是另一篇的一部分时 {parts:.4f}"
    ),
    "size ratio": "特征数之比",
    "features of the smaller text for each of the larger one; the recall at the threshold": (
        "较短一篇与较长一篇的特征数之比，以及恰在阈值上的召回率"
    ),
    "features of the kept text for each of the dropped one; the recall at the threshold": (
        "保留的一篇与删去的一篇的特征数之比，以及恰在阈值上的召回率"
    ),
    "{count:,.2f} a document": "每篇 {count:,.2f}",
    "{count:,} a document": "每篇 {count:,}",
    "collection": "文本",
    "{count:,} documents of {size:,} bytes": "{count:,} 篇，每篇 {size:,} 字节",
    "counts": "对数的来源",
    "by a sample of {count:,} texts": "按 {count:,} 篇抽样文本",
    "by the recipe": "按查找方法",
    "; not known before the search of {count:,} documents in mixed groups": (
        "；其中 {count:,} 篇所在的组只有一部分对相似，搜索之前无法预知"
    ),
    "{value:.4f} of the pairs of the sample; ": "抽样中的对 {value:.4f}；",
    "tested pairs": "试过的对",
    "candidates": "候选对",
    "verified": "核对的对",
    "scheme": "方案",
    "threshold": "阈值",
    "recipe": "查找方法",
    "keys": "查找键",
    "memory": "内存",
    "CPU seconds": "CPU 用时",
    "why": "原因",
    "Jaccard similarity": "Jaccard 相似度",
    "every pair": "每一对都试",
    "{first} chosen paths a text": "每篇选 {first} 条路径",
    "{count} tables of agreeing bits": "{count} 张按相同位分组的表",
    "Every pair is tested: below 8,192 documents keys would cost more than they save.": (
        "每一对都试：不到 8,192 篇时，用键不合算。"
    ),
    "Every pair is tested: at {bits} of {width} bits no choice of agreeing blocks costs less for this many"
    " documents.": ("每一对都试：{width} 位里允许 {bits} 位不同，这么多篇时没有更省的分块办法。"),
    "Two fingerprints within {bits} bits agree in one of {count} choices of blocks: no pair within the distance is"
    " missed.": ("相差不超过 {bits} 位的两个指纹，总有一组块相同（共 {count} 组）：距离之内的对不会漏。"),
    "Each text selects {first} of its features, rare ones most often, and {further} more in the mean for each path that"
    " over {bucket} texts have.": (
        "每篇选 {first} 个特征，越罕见越常选；一条路径上超过 {bucket} 篇时，再各选平均 {further} 个。"
    ),
    "A pair at {threshold} meets in a path of two features with the probability {equals}, and where one text is a part"
    " of the other {parts}.": (
        "恰在阈值上的对（{threshold}），经两个特征的路径相遇的概率是 {equals}；一篇是另一篇的一部分时是 {parts}。"
    ),
    "A pair at {threshold} meets in a path of two features with the probability {equals}, and where the kept text has"
    " {ratio} times as many features {parts}.": (
        "恰在阈值上的对（{threshold}），经两个特征的路径相遇的概率是 {equals}；"
        "保留的一篇有 {ratio} 倍的特征时是 {parts}。"
    ),
    "Pairs whose sketches differ in more than {bits} of {width} bits are not verified.": (
        "略图的 {width} 位中相差超过 {bits} 位的对，不再核对。"
    ),
    "The threshold is so low that sketches rule nothing out: each pair that meets is verified.": (
        "阈值太低，略图排除不了什么：相遇的每一对都要核对。"
    ),
    "verdicts": "人工判定",
    "{same:,} same, {different:,} different, {keep:,} keep": "相同 {same:,}，不同 {different:,}，指定保留 {keep:,}",
    "; {unknown:,} on unknown ids": "；{unknown:,} 条的 id 不存在",
    "warning: ": "警告：",
    "wrong use: ": "用法不对：",
    "{a:.4f} of a in b, {b:.4f} of b in a": "a 有 {a:.4f} 在 b 中，b 有 {b:.4f} 在 a 中",
    "{count:,} ({failed:,} failed)": "{count:,}（失败 {failed:,}）",
    "{count:,} ids are repeated; a document is known by its position, ids are labels only": (
        "{count:,} 个 id 重复；文档按位置区分，id 只是标签"
    ),
    "{count:,} of {read:,} {what} failed{excess}; the first is record {position} ({code}): {message}": (
        "{read:,} 条{what}中有 {count:,} 条失败{excess}；第一条在位置 {position}（{code}）：{message}"
    ),
    "{count} bits": "{count} 位",
    "{count} more options: {command} --help-all": "另有 {count} 个选项：{command} --help-all",
    "{name} and --from-run are both given: a saved run has its sources; leave one out": (
        "{name} 与 --from-run 不能同时给：存下的运行已有自己的输入；去掉其中一个"
    ),
    "{name} is no command: did you mean `{meant}`?": "{name} 不是命令：是不是 `{meant}`？",
    "{pairs:,} pairs among {read:,} records{across} ({failed:,} failed)": (
        "{read:,} 条记录{across}中有 {pairs:,} 对相似（失败 {failed:,} 条）"
    ),
    "{path} is read as {encoding}{how}": "{path} 按 {encoding} 读入{how}",
    "{value:.4f} ({percent:g} % interval {low:.4f} to {high:.4f}; {missed:,} of {sampled:,} missed)": (
        "{value:.4f}（{percent:g} % 区间 {low:.4f} 到 {high:.4f}；{sampled:,} 篇中漏 {missed:,}）"
    ),
    "{value} is more than 1: did you mean {number:g}, or {value}%?": (
        "{value} 大于 1：是不是 {number:g} 或 {value}%？"
    ),
    "{value} is not a number: {hint}": "{value} 不是数：{hint}",
    "the input cannot be read: ": "输入有问题：",
    "the output cannot be written: ": "输出写不了：",
    "a file of the run cannot be written: ": "运行自己的文件写不了：",
    "there are too many pairs: ": "相似的对太多：",
    "a text cannot be used: ": "有文本不能用：",
    "simsieve has a fault: ": "simsieve 自身有错：",
    "a setting or argument is not allowed: ": "设置或参数不对：",
    "no JSON": "不是 JSON",
    "no JSON object": "不是 JSON 对象",
    "no text field": "没有正文字段",
    "the text is no string": "正文不是字符串",
    "a lone surrogate": "有孤立的代理码",
    "no UTF-8": "不是 UTF-8",
    "not of the encoding": "与编码不符",
    "wrong quotes": "引号不对",
    "another number of columns": "列数不同",
    "a NUL byte": "有 NUL 字节",
    "not readable": "读不了",
    "a bad file name": "文件名不对",
    "no text": "不是文本",
    "too long": "太长",
    "the scheme cannot use the text": "方案不能用这篇文本",
    "records": "记录",
    "check": "检查",
    "copies": "查找相同文本",
    "decide": "取舍",
    "fingerprint": "计算指纹",
    "fetch": "取来对象",
    "fit": "统计特征",
    "freeze": "固定样本",
    "sample": "抽样",
    "measure": "测量",
    "save": "保存",
    "search": "查找",
    "verify": "核对",
    "write": "写出",
    "starting": "开始",
    "open": "打开",
    "--since-run and --from-run are both given: leave one out": "同时给了 --since-run 和 --from-run：去掉一个",
    "; {share} % of the run, about {left} left": "；全程 {share} %，约剩 {left}",
    "characters": "字符",
    "texts of any language; a good start": "任何语言的文本；从它开始",
    "words": "词",
    "texts by words; Chinese is segmented": "按词比较的文本；中文先分词",
    "as the Python package simhash": "与 Python 包 simhash 相同",
    "as gemantic (Java)": "与 gemantic（Java）相同",
    "as mfonda/simhash (Go)": "与 mfonda/simhash（Go）相同",
    "plain SimHash of the E-Simhash paper": "E-Simhash 论文里的普通 SimHash",
    "E-Simhash of the same paper": "同一论文的 E-Simhash",
    "as angelo_tools (Python)": "与 angelo_tools（Python）相同",
    "keywords": "关键词",
    "long Chinese texts by their 30 keywords": "较长的中文，按 30 个关键词",
    "long texts in which some words repeat": "有词反复出现的长文本",
    "elements": "元素",
    "HTML pages with the same template": "同一模板的 HTML 网页",
    "none": "无",
    "fingerprints that you bring": "自带的指纹，例如图片的",
    "-: standard output cannot be written: {why}; free some space, or write elsewhere": (
        "-：标准输出写不了：{why}；请腾出空间，或写到别处"
    ),
    "A and B are both stdin: give one of them as a file": "A 和 B 都是标准输入：其中一个请给文件",
    "{path}: byte {place} is not UTF-8; convert the file first": "{path}：第 {place} 字节不是 UTF-8；请先转换编码",
    "--blocks is for records: leave it out for pages": "--blocks 只用于记录：处理网页时去掉它",
    "--failed is for records: a page that fails is named on stderr, and its file is there": (
        "--failed 只用于记录：失败的网页会在标准错误上报告，它的文件还在"
    ),
    "--json is for pages: leave it out, and each record has a line with id, tab, fingerprint": (
        "--json 只用于网页：去掉它，每条记录就是一行：id、制表符、指纹"
    ),
    "{page} is a page and {other} is not: give them apart, or add --pages where each is a page": (
        "{page} 是网页而 {other} 不是：请分开给；如果都是网页，请加 --pages"
    ),
    "stdin is named twice: give the other page as a file": "标准输入给了两次：另一个网页请给文件",
    "idf fit counts over a collection, and these are single pages: fit a model and give its file": (
        "idf fit 要在一批文本上统计，而这些是单个网页：先统计一个模型，再给出它的文件"
    ),
    "{failed:,} of {count:,} rows failed, more than --max-failed {limit} allows": (
        "{count:,} 行中有 {failed:,} 行失败，多于 --max-failed {limit} 所允许的"
    ),
    "{failed:,} of {count:,} pages failed, more than --max-failed {limit} allows": (
        "{count:,} 个网页中有 {failed:,} 个失败，多于 --max-failed {limit} 所允许的"
    ),
    "Settings of simsieve. `--config FILE` reads them again; the command line takes precedence.\nNames of files"
    " are taken"
    " from the folder of this file.": (
        "simsieve 的设置。`--config FILE` 可再读入；命令行上的优先。\n文件名从本文件所在的文件夹算起。"
    ),
    "# {name} is not given": "# {name} 没有给",
    "{percent} % ({done:,} of {total:,})": "{percent} %（{total:,} 中的 {done:,}）",
    "source": "出处",
    "weights": "权重",
    "weight": "权重",
    "count": "次数",
    "feature": "特征",
    "hash": "哈希",
    "width": "位数",
    "widths": "可取位数",
    "sign": "取位",
    "options": "选项",
    "delete": "删去",
    "insert": "插入",
    "replace": "替换",
    "scatter": "零散替换",
    "move": "移动",
    "truncate": "截尾",
    "merge": "并入别文",
    "reorder": "换句序",
    "ocr": "形近字",
    "homophones": "音近字",
    "traditional": "繁简",
    "numerals": "数字写法",
    "--text-field is for records: give FILE:N or FILE:ID in place of {path}": (
        "--text-field 用于记录：请给 FILE:N 或 FILE:ID，不要给 {path}"
    ),
    "{path} has no record with the id {name}: give FILE:N, its number from 1 on": (
        "{path} 没有 id 为 {name} 的记录：请给 FILE:N，即从 1 数起的序号"
    ),
    "{value} is not a whole number: give one such as 1000000, 1e6 or 50m": (
        "{value} 不是整数：请给例如 1000000、1e6 或 50m"
    ),
    "{path} has {count:,} records: there is no record {number}": "{path} 有 {count:,} 条记录：没有第 {number} 条",
    "No such command {name}.": "没有命令 {name}。",
    ". Also: {names}": "；也可写成 {names}",
    "; nothing was written: give --apply to write the marks": "；什么也没有写：要写入标记请加 --apply",
    "changed since read": "读后有改动",
    "decisions written": "已写取舍",
    "marked": "已标记",
    "marked before": "先前已标记",
    "not marked, field in use": "字段被占用，未标记",
    "removed {count:,} {what}": "已撤去 {count:,} 项：{what}",
    "run": "运行",
    "run {run}: there is nothing to undo": "运行 {run}：没有可撤销的内容",
    "there before": "先前已有",
    "would be marked": "将会标记",
    "written": "已写出",
    "{database}: no run wrote to this database": "{database}：没有运行写过这个数据库",
    "{name} is a collection, which is a source of its own: name it alone": (
        "{name} 是一个集合，它只能单独作为来源：请只给它一个"
    ),
}

TEXTS = {**EDITS, **HELP, **MESSAGES, **READ_TEXTS, **REPORT, **SAID, **SCHEMES}
