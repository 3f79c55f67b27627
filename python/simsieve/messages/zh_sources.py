"""Messages on sources in Chinese, by templates; see `bodies`."""

from simsieve.messages.zh_encodings import ENCODINGS

SOURCES = {
    **ENCODINGS,
    "none of the first {count} records has a field {name}: did you mean {meant}? The fields are {names}": (
        "前 {count} 条记录都没有字段 {name}：是不是 {meant}？字段有 {names}"
    ),
    "none of the first {count} records has a field {name}: give several fields one by one, not with commas. The fields"
    " are {names}": "前 {count} 条记录都没有字段 {name}：几个字段要一个一个给，不用逗号。字段有 {names}",
    "none of the first {count} records has a field {name}: the fields are {names}": (
        "前 {count} 条记录都没有字段 {name}：字段有 {names}"
    ),
    "the record has no field {name}: did you mean {meant}? The fields are {names}": (
        "记录没有字段 {name}：是不是 {meant}？字段有 {names}"
    ),
    "the record has no field {name}: the fields are {names}": "记录没有字段 {name}：字段有 {names}",
    "none of the first {count} records has a field {name}: did you mean {meant}? The fields are {names}: ids"
    " are empty": ("前 {count} 条记录都没有字段 {name}：是不是 {meant}？字段有 {names}。id 全是空的"),
    "none of the first {count} records has a field {name}: the fields are {names}: ids are empty": (
        "前 {count} 条记录都没有字段 {name}：字段有 {names}。id 全是空的"
    ),
    "none of the first {count} records has a field {name}: did you mean {meant}? The fields are {names}: texts are"
    " without it": "前 {count} 条记录都没有字段 {name}：是不是 {meant}？字段有 {names}。正文里没有它",
    "none of the first {count} records has a field {name}: the fields are {names}: texts are without it": (
        "前 {count} 条记录都没有字段 {name}：字段有 {names}。正文里没有它"
    ),
    "the record has no field {name}: did you mean {meant}? The fields are {names}: texts are without it": (
        "记录没有字段 {name}：是不是 {meant}？字段有 {names}。正文里没有它"
    ),
    "the record has no field {name}: the fields are {names}: texts are without it": (
        "记录没有字段 {name}：字段有 {names}。正文里没有它"
    ),
    "none of the first {count} records has a field {name}: did you mean {meant}? The fields are {names}: keep does not"
    " order by it": "前 {count} 条记录都没有字段 {name}：是不是 {meant}？字段有 {names}。keep 不按它排",
    "none of the first {count} records has a field {name}: the fields are {names}: keep does not order by it": (
        "前 {count} 条记录都没有字段 {name}：字段有 {names}。keep 不按它排"
    ),
    "the records have no field {name}, but {other}: ids are empty": "记录没有字段 {name}，却有 {other}：id 全是空的",
    "name it with id_field": "请用 id_field 指明它",
    "name the field that holds the text with text_field": "请用 text_field 指明正文字段",
    "name a field with the setting `{setting}`": "请用 `{setting}` 指明字段",
    "name a column with the setting `{setting}`": "请用 `{setting}` 指明列",
    "no column {name}: did you mean {meant}? There are {names}": "没有列 {name}：是不是 {meant}？列有 {names}",
    "no column {name}: give several fields one by one, not with commas. There are {names}": (
        "没有列 {name}：几个字段要一个一个给，不用逗号。列有 {names}"
    ),
    "there are {names}": "列有 {names}",
    "more than one column {name}": "列 {name} 不止一个",
    "name the column with text_field": "请用 text_field 指明列",
    "name the column with id_field or the setting `keep`": "请用 id_field 或 `keep` 指明列",
    "name the column with the setting `{setting}`": "请用 `{setting}` 指明列",
    "column {name} is of type {kind}, and text is needed": "列 {name} 的类型是 {kind}，应是文本",
    "name another column": "请指明另一列",
    "nothing was read from {names} and {count} others: it has no record": (
        "从 {names} 和另外 {count} 个来源什么也没读到：里面没有记录"
    ),
    "nothing was read from {names}: it has no record": "从 {names} 什么也没读到：里面没有记录",
    "the folder has no file": "文件夹里没有文件",
    "check the name, or give a file": "请检查名字，或给一个文件",
    "check the name, or give a file, or allow_empty if it may be empty": (
        "请检查名字，或给一个文件；可以为空时请给 allow_empty"
    ),
    "the records seem to be a JSON list, not JSON lines: give the setting `input_format` json": (
        "这些记录像是 JSON 列表，不是 JSON lines：请给 `input_format` json"
    ),
    "the records seem to be JSON over several lines: write each on one line, as with `jq -c . FILE`": (
        "这些记录像是分成几行的 JSON：请把每条写成一行，例如用 `jq -c . FILE`"
    ),
    "{name} is read with {sign} between its fields, as was found": "{name} 的字段以 {sign} 分隔（自动识别）",
    "the setting `delimiter` names another": "可用 `delimiter` 指明别的",
    "is an address, and files are read: pipe it in, as with {command}": (
        "是网址，而能读的是文件：请用管道，例如 {command}"
    ),
    "is packed in a way that is not read: unpack it": "它的压缩方式不能读：请先解压",
    "of packed files those with .gz and .zst are read": "压缩文件里 .gz 和 .zst 能读",
    "is a document of another program: convert it to text, and give a folder of .txt files, or one file with a document"
    " on each line": "是别的程序的文档：请转成文本，再给放 .txt 文件的文件夹，或一行一篇的文件",
    "is a table that is not read: write it as .parquet, .csv or .jsonl": (
        "这种表不能读：请写成 .parquet、.csv 或 .jsonl"
    ),
    "is a database: write the table as .csv or .jsonl": "是数据库：请把表写成 .csv 或 .jsonl",
    "no file matches this pattern": "没有文件符合这个模式",
    "check it": "请检查",
    "name it once": "只给一次",
    "the file's name is not UTF-8": "文件名不是 UTF-8",
    "rename it or link to it": "请改名，或给它做个链接",
    "is no whole Parquet file ({why})": "不是完整的 Parquet 文件（{why}）",
    "is no whole Parquet file": "不是完整的 Parquet 文件",
    "fetch or write it again": "请重新获取或写出",
    "{first} and {second} have different columns or types, so one file cannot hold both": (
        "{first} 和 {second} 的列或类型不同，它们的行不能合在一个文件里"
    ),
    "give a folder as output, or make two runs": "请给文件夹作输出，或分两次运行",
    "make two runs": "请分两次运行",
    "Parquet is not read from stdin, because its index is at the end of the file": (
        "Parquet 不能从标准输入读，因为目录在文件末尾"
    ),
    "name a file": "请给文件名",
    "is a folder; name the files in it, such as {example}": "是文件夹；请给其中的文件，例如 {example}",
    "{name} {value} is for files: leave it out for texts and records": "{name} {value} 只用于文件：文本和记录请去掉它",
    "encoding {value} is for text files: Parquet is UTF-8; leave it out": (
        "encoding {value} 只用于文本文件：Parquet 是 UTF-8；去掉它"
    ),
    "delimiter {value} is for CSV and TSV: {format} has none; leave it out": (
        "delimiter {value} 只用于 CSV 和 TSV：{format} 没有；去掉它"
    ),
    "encoding {value} is for text files: each page of WARC has its own; leave it out": (
        "encoding {value} 只用于文本文件：WARC 的每个网页有自己的编码；去掉它"
    ),
    "WARC is read and not written: give output_format, such as jsonl": (
        "WARC 只能读，不能写：请给 output_format，例如 jsonl"
    ),
    "is no whole WARC file (record {number}: {why})": "不是完整的 WARC 文件（第 {number} 条记录：{why}）",
    "its Content-Length is {value}": "它的 Content-Length 是 {value}",
    "it has {count} bytes and says {length}": "它有 {count} 字节，却写着 {length}",
    "it does not begin as a record of WARC does": "它的开头不是 WARC 的记录",
    "it is longer than its Content-Length": "它比 Content-Length 长",
    "is no whole gzip file ({why})": "不是完整的 gzip 文件（{why}）",
    "the response does not begin with a status line of HTTP": "响应的开头不是 HTTP 的状态行",
    "take the record away, or correct it": "请去掉或改正这条记录",
}
