"""What `simsieve schemes NAME` says of a scheme in Chinese."""

SCHEMES = {
    "windows of 6 units over letters, digits and symbols of the normalised text (a Han, kana or Hangul character is 2"
    " units, any other 1)": (
        "规范化文本的字母、数字和符号上长 6 个单位的窗口（汉字、假名、谚文每个 2 单位，其他 1 单位）"
    ),
    "words of the normalised text: runs of letters, digits and symbols, Han among them cut by the segmenter": (
        "规范化文本的词：字母、数字和符号的连续片段，其中的汉字由分词器切分"
    ),
    "4 characters of the lower-cased letters, digits and underscores, all else left out": (
        "小写的字母、数字和下划线中连续的 4 个字符，其余去掉"
    ),
    "what is between ASCII white space": "ASCII 空白之间的片段",
    "lower-cased words of ASCII letters, digits, _ and ', with a web address as one word; or of letters, -, _ and '": (
        "由 ASCII 字母、数字、_ 和 ' 组成的小写词，网址算一个词；或由字母、-、_ 和 ' 组成"
    ),
    "all that the segmenter cuts the text into": "分词器切出的全部片段",
    "words, as words64 has them": "词，与 words64 相同",
    "words by the segmenter that begin with a character of U+4E00 to U+9FA5": (
        "分词器切出的、以 U+4E00 到 U+9FA5 的字开头的词"
    ),
    "the heaviest keywords of the text, of equals the first": "文本中权重最大的关键词，相等时取靠前的",
    "elements of the page that the text field holds, known by their tags": "正文字段中网页的元素，按标签区分",
    "none: the text field holds the fingerprint, so there are distances and no similarity": (
        "无：正文字段就是指纹，所以有距离而没有相似度"
    ),
    "once: 1 a distinct feature": "once：每个不同的特征为 1",
    "tf: 1 an occurrence": "tf：每次出现为 1",
    "root mean square of TF-IDF and of the mean entropy of left and right neighbours, up to a ceiling, in steps of"
    " 2^-20": "TF-IDF 与左右邻词平均熵的均方根，有上限，步长 2^-20",
    "TF-IDF, in steps of 2^-24": "TF-IDF，步长 2^-24",
    "share of all words x (ln((n + 1) / (df + 1)) + 1) over n lines that have words, in steps of 2^-24": (
        "占全部词的比例 x (ln((n + 1) / (df + 1)) + 1)，n 为有词的行数，步长 2^-24"
    ),
    "the sum of 0.45^depth over all elements of a tag, in steps of 2^-20": (
        "一个标签的全部元素的 0.45^深度 之和，步长 2^-20"
    ),
    "XXH3-64, further words mixed from it": "XXH3-64，后面的字由它混合而成",
    "the low bits of MD5, read big-endian": "MD5 的低位，按大端读",
    "multiplied by 1000003 and xored, a UTF-16 unit at a time": "逐个 UTF-16 单元乘以 1000003 再异或",
    "the low bits of MD5, read big-endian, xor the word's place": "MD5 的低位，按大端读，再与词的位置异或",
    "MD5's 32 hex digits, 8 and more as 1; the first digit is the highest bit": (
        "MD5 的 32 个十六进制数字，8 以上为 1；第一个数字是最高位"
    ),
    "FNV-1, further words mixed from it": "FNV-1，后面的字由它混合而成",
    "any from 1 to 256, in the name": "1 到 256，写在名字里",
    "64 and 128": "64 和 128",
    "as given": "照给定的",
}
"""By the English text; a scheme's name, hash or number is the same in every language."""
