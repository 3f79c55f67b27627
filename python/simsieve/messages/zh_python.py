"""Messages that only programs in Python meet, in Chinese, by templates; see `bodies`."""

PYTHON = {
    # Fingerprints.
    "bits {bits} are not allowed: give 1 to {most} zeros and ones": "bits 不能是 {bits}：请给 1 到 {most} 个 0 和 1",
    "the texts have {one} and {other} bits: give bits of one width": "两个文本有 {one} 位和 {other} 位：请给同样的位数",
    "the fingerprint {value} is negative: give an unsigned value": "指纹 {value} 是负数：请给无符号的值",
    "fingerprint value {value} does not fit into {width} bits": "指纹的值 {value} 放不进 {width} 位",
    "fingerprint {value} is not allowed: scheme {name} has {width} bits; give {zeros} zeros and ones, {digits} hex"
    " digits, or a number": (
        "指纹不能是 {value}：方案 {name} 有 {width} 位；请给 {zeros} 个 0 和 1、{digits} 位十六进制数字，或一个数"
    ),
    "none of {count} items is a fingerprint, so no scheme is known: give at least one": (
        "{count} 项中没有一个指纹，不知道是哪个方案：请至少给一个"
    ),
    "fingerprints are of type {type}: give a numpy array uint64[n] or uint64[n, words], or Fingerprints": (
        "指纹的类型是 {type}：请给 numpy 数组 uint64[n] 或 uint64[n, words]，或 Fingerprints"
    ),
    "fingerprints have dtype {dtype}: give a numpy array uint64[n] or uint64[n, words]": (
        "指纹的 dtype 是 {dtype}：请给 numpy 数组 uint64[n] 或 uint64[n, words]"
    ),
    "fingerprints have shape {shape}: give a numpy array uint64[n] or uint64[n, words] with 1 to {most} words": (
        "指纹的形状是 {shape}：请给 numpy 数组 uint64[n] 或 uint64[n, words]，words 为 1 到 {most}"
    ),
    "fingerprints do not lie row after row in memory: pass numpy.ascontiguousarray(values)": (
        "指纹在内存里不是逐行连续的：请传 numpy.ascontiguousarray(values)"
    ),
    "fingerprints do not begin at a multiple of 8 bytes: pass values.copy()": (
        "指纹的起始地址不是 8 字节的倍数：请传 values.copy()"
    ),
    "recall {value} is not a number: above 0, and at most 1, which finds all pairs": (
        "recall {value} 不是数：应大于 0、不超过 1，1 表示找到全部"
    ),
    # Schemes and models.
    "scheme {name} has its model already: make a Fingerprinter without one to fit it": (
        "方案 {name} 已经有模型：要统计新的，请建一个没有模型的 Fingerprinter"
    ),
    "a model is not made of {value}: use simsieve.fit or Model.load": (
        "模型不能由 {value} 得到：请用 simsieve.fit 或 Model.load"
    ),
    "scheme {value} is not a name: give a text such as {example}, a simsieve.Scheme or a simsieve.CustomScheme": (
        "方案 {value} 不是名字：请给文本如 {example}，或 simsieve.Scheme、simsieve.CustomScheme"
    ),
    "spec {value} is not a text: give a name such as {example}": "spec {value} 不是文本：请给名字，例如 {example}",
    "stop {value} is one text: give a list of words, pathlib.Path of a file, or {list}": (
        "stop {value} 是一个文本：请给词的列表、文件的 pathlib.Path，或 {list}"
    ),
    "the stop word {word} is of type {type}: give str": "停用词 {word} 的类型是 {type}：请给 str",
    "{a} and {b} are both stdin: give one of them as a file": "{a} 和 {b} 都是标准输入：请把其中一个给成文件",
    "give one of {names}": "请给 {names} 之一",
    "they are of type {type}, and not an object": "它们的类型是 {type}，不是对象",
    "idf is a model in memory, and a saved run names its file: save the model and give its path": (
        "idf 是内存中的模型，而存下的运行记的是文件：请先存模型，再给路径"
    ),
    "decay {value} is not allowed: give a number above 0 and at most 1, such as {example}": (
        "decay 不能是 {value}：请给大于 0、不超过 1 的数，例如 {example}"
    ),
    "top {value} is negative: give a number of words, or 0 for all": "top {value} 是负数：请给词数，0 表示全部",
    "the frequency of {word} is {value}; it is a whole number from 0 to 2^53": (
        "{word} 的频率是 {value}；应是 0 到 2^53 的整数"
    ),
    # Settings and verdicts.
    "verdicts {value} is not allowed: give a file, a table, or rows of (a, b, verdict)": (
        "verdicts 不能是 {value}：请给文件、表，或 (a, b, verdict) 的行"
    ),
    "item {number} of verdicts is {value}: give (a, b, verdict)": (
        "判定第 {number} 项是 {value}：请给 (a, b, verdict)"
    ),
    "item {number} of verdicts has {count} values: give (a, b, verdict)": (
        "判定第 {number} 项有 {count} 个值：请给 (a, b, verdict)"
    ),
    "verdict {word} is unknown: allowed are {words}, or 1 and 0": "没有判定 {word}：可取 {words}，或 1 和 0",
    "verdicts are rows in memory, which no file of settings can have: write them to a file": (
        "verdicts 是内存中的行，设置文件里不能有：请先写成文件"
    ),
    "progress {value} is not allowed: give 'auto', a function of (stage, done, total), or None": (
        "progress 不能是 {value}：请给 'auto'、(stage, done, total) 的函数，或 None"
    ),
    # Results.
    "min_size {value} is not allowed: allowed is 1 or more": "min_size 不能是 {value}：应不小于 1",
    "rethreshold cannot change {name}: it takes {names}; for all else run dedup": (
        "rethreshold 不能改 {name}：可改 {names}；别的请重新运行 dedup"
    ),
    "{what} needs the sources, and this result came without them (it was pickled): call it where the run was made": (
        "{what} 要用原来的输入，而这个结果没有（它经过 pickle）：请在运行的地方调用"
    ),
    "around {value} is looser than the run's {name} {threshold}, where no document was dropped: give {again} or more,"
    " or run dedup with {setting} {wanted}": (
        "around {value} 比运行的 {name} {threshold} 宽，那里没有丢弃文档：请给 {again} 或更大，"
        "或用 {setting} {wanted} 运行 dedup"
    ),
    "around {value} is looser than the run's {name} {threshold}, where no document was dropped: give {again} or less,"
    " or run dedup with {setting} {wanted}": (
        "around {value} 比运行的 {name} {threshold} 宽，那里没有丢弃文档：请给 {again} 或更小，"
        "或用 {setting} {wanted} 运行 dedup"
    ),
    "{seen} of {sampled} is no sample: give 0 <= seen <= sampled and sampled >= 1": (
        "{sampled} 中的 {seen} 不是样本：应有 0 <= seen <= sampled，sampled >= 1"
    ),
    "confidence {value} is outside (0, 1): give a share such as 0.95": (
        "confidence {value} 不在 (0, 1) 之内：请给份额，例如 0.95"
    ),
    "{path} has a {other} of each pair, and no {wanted}: give a threshold of it with {setting}": (
        "{path} 里每一对有 {other}，没有 {wanted}：请用 {setting} 给它的阈值"
    ),
    # Rows in memory.
    "the rows are in files: write them with `write` and read what you need of the output": (
        "这些行在文件里：请用 `write` 写出，再从输出读取"
    ),
    "the table has fewer rows than it had: leave it as it is until the rows are written": (
        "表的行比原来少：写完之前请不要改动它"
    ),
    "text {at} of the column is missing: leave such rows out, or give a table with the column, in which they count as"
    " failed": "列的第 {at} 个文本缺失：去掉这样的行，或给带这一列的表（它们算失败）",
    "text {at} ({text}) ends like a file's name: wrap it in pathlib.Path to read the file, or in a record such as"
    ' {"text": ...} if it is meant as a text': (
        '第 {at} 个文本（{text}）像文件名：要读文件请用 pathlib.Path，本来是正文就写成记录，例如 {"text": ...}'
    ),
    'text {at} ({text}) names a file: wrap it in pathlib.Path to read the file, or in a record such as {"text": ...}'
    " if it is meant as a text": (
        '第 {at} 个文本（{text}）是文件名：要读文件请用 pathlib.Path，本来是正文就写成记录，例如 {"text": ...}'
    ),
    "the table has columns of one name, or one of mixed types ({error}): give each column its own name and one type,"
    " for example with df['text'] = df['text'].astype(str)": (
        "表里有同名的列，或一列里类型混杂（{error}）：请给每列自己的名字和一种类型，"
        "例如 df['text'] = df['text'].astype(str)"
    ),
    "text {at} has a lone surrogate at character {character}: fix it, for example with"
    " text.encode('utf-8', 'replace').decode()": (
        "第 {at} 个文本的第 {character} 个字符是单独的代理码：请修正，例如 text.encode('utf-8', 'replace').decode()"
    ),
    "the text has a lone surrogate at character {character}: replace it first": (
        "文本的第 {character} 个字符是单独的代理码：请先替换"
    ),
    "a frame of {package} is made by {module}, which is not installed: {command}": (
        "{package} 的数据框要用 {module}，而它没有安装：{command}"
    ),
    "jobs on a cluster are run by pyspark, which is not installed: {command}": (
        "集群上的任务要用 pyspark，而它没有安装：{command}"
    ),
    # Sources and outputs.
    "column {name} is of type {kind}, and whole numbers are needed": "列 {name} 的类型是 {kind}，应是整数",
    "read or convert the column as uint64, where no digit is lost": "请把这一列读成或转成 uint64，那样不丢数字",
    "for whole numbers give format=int, such as {example}": "整数请给 format=int，例如 {example}",
    "for packed bytes give format=bytes, such as {example}": "字节请给 format=bytes，例如 {example}",
    "the record has no field {name}: the fields are {names}: keep does not order by it": (
        "记录没有字段 {name}：字段有 {names}。keep 不按它排序"
    ),
    "the record has no field {name}: did you mean {meant}? The fields are {names}: keep does not order by it": (
        "记录没有字段 {name}：是不是 {meant}？字段有 {names}。keep 不按它排序"
    ),
    "none of the first {count} documents has a field {name}: the fields are {names}": (
        "前 {count} 篇文档都没有字段 {name}：字段有 {names}"
    ),
    "none of the first {count} documents has a field {name}: did you mean {meant}? The fields are {names}": (
        "前 {count} 篇文档都没有字段 {name}：是不是 {meant}？字段有 {names}"
    ),
    "{name} is both a source and an old document of `against`: every record would be dropped as its own copy": (
        "{name} 既是输入又是 against 的旧文档：每条记录都会因为自己而丢弃"
    ),
    "is an address, and files are read: fetch it first, and give the file": (
        "是网址，而能读的是文件：请先下载，再给文件"
    ),
    "is an address, and files are read: give its path, {path}": "是网址，而能读的是文件：请给它的路径 {path}",
}
"""By the English template."""
