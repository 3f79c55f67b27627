"""Messages on encodings and on the quotes of tables in Chinese, by templates; see `bodies`."""

ENCODINGS = {
    "{name} is read as {encoding}, as was found by trying": "{name} 按 {encoding} 读入（试读识别）",
    "the setting `encoding` names another": "可用 `encoding` 指明别的",
    "{count} other sources are read in encodings that were found by trying: the summary lists them": (
        "另有 {count} 个输入按试读识别的编码读入：摘要里有清单"
    ),
    "encoding {value} is not allowed: give auto, a name such as gb18030, or PATTERN=NAME such as {example}": (
        "encoding {value} 不行：请给 auto、名字（例如 gb18030）或 PATTERN=NAME（例如 {example}）"
    ),
    "encoding {first} and encoding {second} are both given for all sources: give one of them, or a pattern before each,"
    " such as {example}": (
        "同时给了 encoding {first} 和 encoding {second}，都用于全部输入：只给一个，或各加一个模式，例如 {example}"
    ),
    "encoding {value}: no source matches the pattern {pattern}": "encoding {value}：没有输入匹配模式 {pattern}",
    "check it, or leave it out": "请检查，或去掉它",
    "its encoding cannot be told: of {all} records that are not ASCII {names}, and the others are no likely texts": (
        "看不出它的编码：{all} 条不是 ASCII 的记录里，读不出的有 {names}，其余的也不像文本"
    ),
    "the page is no text: it is not UTF-8, names no encoding, and is no likely text in any that was tried: give HTML,"
    " or name its charset": (
        "网页不是文本：它不是 UTF-8，没有写明编码，试过的编码读来也不像文本：请给 HTML，或指明它的编码"
    ),
    "name the encoding with the setting `encoding`": "请用 `encoding` 指明编码",
    "not {encoding} as the other records, because it seems to be UTF-8": "与其他记录的 {encoding} 不符，像是 UTF-8",
    "not {encoding} as the other records, because it has bytes that are no letters there": (
        "与其他记录的 {encoding} 不符，有的字节在其中不是字母"
    ),
    "{name} is read with quotes as data, as was found: else {failed} of its rows fail, and {fields} quoted fields"
    " swallow {lines} lines that look like rows": (
        "{name} 的引号按内容读（自动识别）：否则有 {failed} 行失败，{fields} 个带引号的字段吞掉"
        " {lines} 行像是记录的内容"
    ),
    "the setting `quoting` minimal reads it so": "`quoting` minimal 按那样读",
    "{name} has {fields} quoted fields with {lines} lines that look like rows": (
        "{name} 有 {fields} 个带引号的字段，其中 {lines} 行像是记录"
    ),
    "the setting `quoting` none makes them rows": "`quoting` none 把它们当作记录",
    "quoting {value} is for CSV and TSV: {format} has none; leave it out": (
        "quoting {value} 只用于 CSV 和 TSV：{format} 没有；去掉它"
    ),
    "fix the record: no field has a {sign} or a line break, because quotes are data here": (
        "请修正这条记录：这里引号是内容，字段里不能有 {sign} 或换行"
    ),
    "allowed are {names}, each also with .gz or .zst after it, and .parquet and .warc (.warc.gz)": (
        "可取 {names}（后面都可再加 .gz 或 .zst）、.parquet 和 .warc（.warc.gz）"
    ),
}
