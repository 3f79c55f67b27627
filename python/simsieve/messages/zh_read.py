"""Texts on what is read and what is left out in Chinese: those of the command line, and messages by templates."""

READ_TEXTS = {
    "What is a document where sources are texts: a file or a line. By default a line of a file, and a file of a"
    " folder.": "来源是文本时，什么是一篇文档：一个文件或一行。默认文件里一行一篇，文件夹里一个文件一篇。",
    "file or line": "file 或 line",
    "The files of a folder that are documents, in place of those in .txt, .md and .html.": (
        "文件夹里作为文档的文件，代替 .txt、.md 和 .html。"
    ),
    "the end of a file's name, or several": "文件名的结尾，可以几个",
    "same files again": "重复的文件名",
    "other files": "未读的文件",
    "other records": "未读的记录",
    "matched in {count:,} of {texts:,} texts": "在 {texts:,} 篇文本中的 {count:,} 篇里匹配",
    "without an ending": "个没有后缀",
    "hidden": "个隐藏文件",
    "others": "个其他",
}

READ = {
    "each {value} is not known: allowed are {allowed}": "each 没有 {value}：可用的有 {allowed}",
    "each {value} is of texts, and input_format is {form}: leave one out": (
        "each {value} 用于文本，而 input_format 是 {form}：请去掉一个"
    ),
    "has records, and each {value} is of texts": "里面是记录，而 each {value} 用于文本",
    "each file is of plain files on disk": "each file 用于磁盘上未压缩的文件",
    "unpack or copy it first, or give each line": "请先解压或复制，或给 each line",
    "suffix {value} is not allowed: give the end of a file's name such as .py": (
        "suffix 不能是 {value}：请给文件名的结尾，例如 .py"
    ),
    "files are read as they are, so unpack those with .gz and .zst first": ("文件原样读取，.gz 和 .zst 的请先解压"),
    "each line of {count} .txt files is a document: give the setting `each` file to compare whole files, or line": (
        "{count} 个 .txt 文件的每一行是一篇文档：要比较整个文件请给 `each` file，否则给 line"
    ),
    "what is there twice is read once": "重复的只读一次",
    "1 more name is left out: {name}": "还有 1 个名字略去：{name}",
    "1 more name is left out: {name}, which is {other}": "还有 1 个名字略去：{name}，就是 {other}",
    "{count} more names are left out: {name}": "还有 {count} 个名字略去：{name}",
    "{count} more names are left out: {name}, which is {other}": "还有 {count} 个名字略去，例如 {name}，就是 {other}",
    "1 file is not read: {names}": "1 个文件未读：{names}",
    "{count} files are not read: {names}": "{count} 个文件未读：{names}",
    "name {example} too": "请也给出 {example}",
    "the setting `suffix` names the files that are": "要读的文件用 `suffix` 指明",
    "the folder has no {endings} file, but {names}: give {pattern}": (
        "文件夹里没有 {endings} 文件，却有 {names}：请给 {pattern}"
    ),
    "the folder has no {endings} file, but {names}: give {pattern}, or allow_empty if it may be empty": (
        "文件夹里没有 {endings} 文件，却有 {names}：请给 {pattern}；可以为空时请给 allow_empty"
    ),
    "the folder has no {endings} file, but {names}: the setting `suffix` names the files that are documents, such as"
    " {last}": "文件夹里没有 {endings} 文件，却有 {names}：作为文档的文件请用 `suffix` 指明，例如 {last}",
    "the folder has no {endings} file, but {names}: the setting `suffix` names the files that are documents, such as"
    " {ending}, or allow_empty if it may be empty": (
        "文件夹里没有 {endings} 文件，却有 {names}：作为文档的文件请用 `suffix` 指明，例如 {ending}；"
        "可以为空时请给 allow_empty"
    ),
    "{name} is left out of `against`, because it is a source: {count} of {total} old files": (
        "{name} 是来源，所以从 `against` 略去：旧文件 {total} 个中的 {count} 个"
    ),
    "{pattern} matched in 0 of {total} texts: check the pattern": "{pattern} 在 {total} 篇文本里都没有匹配：请检查",
    "what the setting `extract` gives has other white space": "`extract` 给出的文本空白不同",
    "none of {total} verdicts names records that there are: no record has the id {name}": (
        "{total} 个判定没有一个指到已有的记录：没有记录的 id 是 {name}"
    ),
    "the first that failed is record {position} ({code}): {why}": "第一条失败的是记录 {position}（{code}）：{why}",
    "the response is HTML by its Content-Type, but {error}": "按 Content-Type 响应是 HTML，但{error}",
    "the {what} is text by its Content-Type, but {error}": "按 Content-Type {what} 是文本，但{error}",
    "column {name} is inside a list, and only texts are read there": "列 {name} 在列表里，那里只读正文",
    "name the texts in the list, {path}": "请指明列表里的正文 {path}",
    "fix the record or name the texts in the list, {path}, with text_field": (
        "请修正这条记录，或用 text_field 指明列表里的正文 {path}"
    ),
    "field {name} is a list {value}": "字段 {name} 是列表 {value}",
    "field {name}: there is no {place}": "字段 {name}：没有 {place}",
    "field {name}: the list {place} is empty": "字段 {name}：列表 {place} 是空的",
    "field {name}: {place} is null": "字段 {name}：{place} 是 null",
    "field {name}: {place} is a number {value}": "字段 {name}：{place} 是数 {value}",
    "field {name}: {place} is a list {value}": "字段 {name}：{place} 是列表 {value}",
    "field {name}: {place} is an object {value}": "字段 {name}：{place} 是对象 {value}",
    "field {name}: {place} is a boolean {value}": "字段 {name}：{place} 是布尔值 {value}",
    "field {name}: {place} is a string {value}": "字段 {name}：{place} 是字符串 {value}",
    "a string is needed at each place": "每处都应是字符串",
    "fix the record or name another path with text_field": "请修正这条记录，或用 text_field 指明另一条路径",
    "for a text give the setting `each` file or line": "文本请给 `each` file 或 line",
}
