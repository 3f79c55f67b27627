"""Messages of the core in Chinese, by templates; see `bodies`."""

CORE = {
    "a pair names record {at} by its position, and the record has the id {id}": (
        "有一对用位置指第 {at} 条记录，而这条记录有 id {id}"
    ),
    "a pair names record {at} by its position, and the text there is another one: the sources have changed, or are in"
    " another order": "有一对用位置指第 {at} 条记录，而那里的正文已不是判定时的：输入变了，或次序不同",
    "give those that were judged": "请给判定时的那些输入",
    "none of them is at the position given: the sources have changed, or are in another order": (
        "给的位置上都不是它们：输入变了，或次序不同"
    ),
    "give their positions too, in the columns position_a and position_b, as a review has them, or name a field with an"
    " id of each record with id_field": (
        "请在 position_a 和 position_b 两列也给出位置（复核表里就有），或用 id_field 指明每条记录各不相同的 id 字段"
    ),
    "give the id_field that the verdicts were made with": "请给做判定时用的 id_field",
    # What is wrong with a record.
    "not JSON ({why} at column {at}): {record}": "不是 JSON（第 {at} 列：{why}）：{record}",
    "each line must be one JSON object and nothing else": "每行应是一个 JSON 对象，别无其他",
    "each item of the list must be one JSON object and nothing else": "列表的每一项应是一个 JSON 对象，别无其他",
    "the record is a list ({record})": "这条记录是列表（{record}）",
    "the record is a number ({record})": "这条记录是数（{record}）",
    "the record is a string ({record})": "这条记录是字符串（{record}）",
    "the record is null": "这条记录是 null",
    "the record is a boolean ({record})": "这条记录是布尔值（{record}）",
    "each line must be a JSON object": "每行应是一个 JSON 对象",
    "each item of the list must be a JSON object": "列表的每一项应是一个 JSON 对象",
    "fix the record": "请修正这条记录",
    "no field {name}": "没有字段 {name}",
    "the record has the fields {names}": "这条记录的字段有 {names}",
    "the record has no fields": "这条记录没有字段",
    "fix the record or name the field that holds the text with text_field": (
        "请修正这条记录，或用 text_field 指明正文字段"
    ),
    "fix the record or name another field with text_field": "请修正这条记录，或用 text_field 指明另一个字段",
    "field {name} is null": "字段 {name} 是 null",
    "field {name} is a number {value}": "字段 {name} 是数 {value}",
    "field {name} is a list": "字段 {name} 是列表",
    "field {name} is an object": "字段 {name} 是对象",
    "field {name} is a boolean {value}": "字段 {name} 是布尔值 {value}",
    "a string is needed": "应是字符串",
    "not valid {encoding} at byte {at} (bytes {bytes})": "第 {at} 字节起不是 {encoding}（字节 {bytes}）",
    "not valid {encoding} at byte {at}: half of a surrogate pair, or of a unit": (
        "第 {at} 字节起不是 {encoding}：只有代理对的一半，或一个单元的一半"
    ),
    "fix the record, or convert the file to UTF-8, for example with iconv": (
        "请修正这条记录，或把文件转成 UTF-8，例如用 iconv"
    ),
    "fix the record, or name the encoding that the file has with the setting `encoding`": (
        "请修正这条记录，或用 `encoding` 指明文件的编码"
    ),
    "zero byte at byte {at}": "第 {at} 字节是 0",
    "is the file UTF-16 or binary? Convert it to UTF-8 text, or leave it out": (
        "文件是不是 UTF-16 或二进制？请转成 UTF-8 文本，或去掉它"
    ),
    "the escape {escape} at byte {at} is half of a surrogate pair and no character": (
        "第 {at} 字节的转义 {escape} 是代理对的一半，不是字符"
    ),
    "fix the record: write both halves, or \\ufffd in its place": "请修正这条记录：写全两半，或换成 \\ufffd",
    "the record has {size} bytes and the limit is {limit}": "这条记录有 {size} 字节，上限是 {limit}",
    "split it, or raise the limit with max_record_bytes": "请拆开，或用 max_record_bytes 提高上限",
    "the row has {count} field and the header {header} ({names}): {row}": (
        "这一行有 {count} 个字段，表头有 {header} 个（{names}）：{row}"
    ),
    "the row has {count} fields and the header {header} ({names}): {row}": (
        "这一行有 {count} 个字段，表头有 {header} 个（{names}）：{row}"
    ),
    "{what} follows the closing quote of field {field}": "第 {field} 个字段的右引号后面是 {what}",
    "only a delimiter may follow it": "那里只能是分隔符",
    "the quote that opens field {field} at byte {at} is not closed": (
        "第 {field} 个字段在第 {at} 字节的左引号没有配对的右引号"
    ),
    "fix the record: a field with a {sign}, a quote or a line break is put in quotes, and a quote in it is written"
    " twice": "请修正这条记录：含有分隔符（{sign}）、引号或换行的字段要用引号括起，其中的引号写两遍",
    "the function for features failed: {error}": "取特征的函数出错：{error}",
    "{value} is no fingerprint of {width} bits: it is wider": "{value} 不是 {width} 位的指纹：太长",
    "{value} is no fingerprint of {width} bits: {sign} is no digit there": (
        "{value} 不是 {width} 位的指纹：{sign} 在这里不是数字"
    ),
    "format=hex takes up to {count} digits 0-9 and a-f: fix the record, or name its width and format, such as"
    " {example}": "format=hex 最多 {count} 个数字 0-9 和 a-f：请修正这条记录，或指明位数和格式，例如 {example}",
    "format=int takes a whole number from 0 to {most}: fix the record, or name its width and format, such as"
    " {example}": "format=int 取 0 到 {most} 的整数：请修正这条记录，或指明位数和格式，例如 {example}",
    "{feature} has weight {weight}": "{feature} 的权重是 {weight}",
    "a weight is a finite number from 0 to below {most}, which fraction_bits = {bits} sets": (
        "权重是从 0 到 {most}（不含）的有限数，由 fraction_bits = {bits} 决定"
    ),
    # Files that are not as they should be.
    "does not exist": "不存在",
    "check the name": "请检查名字",
    "may not be read": "没有权限读",
    "the model may not be read": "没有权限读这个模型",
    "grant the right to read it, or run as its owner": "请给予读的权限，或以所有者的身份运行",
    "the folder {name} may not be read": "没有权限读文件夹 {name}",
    "cannot be read: {why}": "读不了：{why}",
    "check the file and the disk it is on": "请检查文件和它所在的磁盘",
    "cannot be looked at: {why}": "查看不了：{why}",
    "the folder cannot be read: {why}": "文件夹读不了：{why}",
    "grant the right to enter its folder, or take it away": "请给予进入其文件夹的权限，或把它移走",
    "grant the right to, or take it away": "请给予权限，或把它移走",
    "is no regular file": "不是普通文件",
    "take it away": "请移走它",
    "take the link away": "请移走这个链接",
    "its name is not UTF-8, so it cannot be an id": "它的名字不是 UTF-8，不能作 id",
    "rename it": "请改名",
    "the page is no text: {count} of its first {all} characters are control characters or unreadable, and at"
    " most one in"
    " 10 may be: give HTML, or name its charset": (
        "网页不是文本：前 {all} 个字符中有 {count} 个是控制字符或不可读，至多可有十分之一：请给 HTML，或指明它的编码"
    ),
    "is a folder, and only files are read as {form}": "是文件夹，只有文件才按 {form} 读",
    "leave input_format out, or name the files in it": "去掉 input_format ，或指明其中的文件",
    "is empty, which no {form} file is": "是空的，{form} 文件不会是空的",
    "it was probably cut off: fetch or write it again": "可能被截断了：请重新获取或写出",
    "the {form} data is cut off after {count} decompressed bytes": "{form} 数据在解出 {count} 字节后被截断",
    "the {form} data is corrupt ({why}) after {count} decompressed bytes": (
        "{form} 数据在解出 {count} 字节后损坏（{why}）"
    ),
    "nothing was done: fetch or write the file again": "什么也没做：请重新获取或写出这个文件",
    "is named {ending} but does not begin like a {form} file (its first bytes are {bytes})": (
        "名为 {ending}，开头却不像 {form} 文件（最初的字节是 {bytes}）"
    ),
    "begins like a {form} file but its name does not end in {ending}": "开头像 {form} 文件，名字却不以 {ending} 结尾",
    "rename it, or fetch it again": "请改名，或重新获取",
    "rename it, or decompress it": "请改名，或解压",
    "begins with a byte order mark of {mark}": "开头是 {mark} 的字节顺序标记",
    "begins with a byte order mark of {mark}, and the setting `encoding` is {name}": (
        "开头是 {mark} 的字节顺序标记，而 `encoding` 是 {name}"
    ),
    "leave that out, or give auto": "去掉它，或给 auto",
    "begins with a byte order mark of {mark}, which is not read: convert the file, for example with {command}": (
        "开头是 {mark} 的字节顺序标记，不能读：请转换文件，例如用 {command}"
    ),
    "UTF-8 is read by default: give the setting `encoding` auto, or convert the file, for example with"
    " {command}": "没有指明时按 UTF-8 读：请给 `encoding` auto，或转换文件，例如用 {command}",
    "changed while it was read": "读的时候变了",
    "let whatever writes it finish, then run again": "请等写它的程序结束，再运行",
    "its lines end in carriage returns alone": "它的行只以回车结尾",
    "convert them to line feeds, for example with {command}": "请换成换行符，例如用 {command}",
    "its header cannot be read: the quote that opens field {field} at byte {at} is not closed": (
        "表头读不了：第 {field} 个字段在第 {at} 字节的左引号没有配对的右引号"
    ),
    "its header is not valid {encoding} at byte {at}": "表头从第 {at} 字节起不是 {encoding}",
    "name the encoding that the file has with the setting `encoding`, or give auto": (
        "请用 `encoding` 指明文件的编码，或给 auto"
    ),
    "more than one column is named {name} ({names})": "不止一列名为 {name}（{names}）",
    "name each once, or name another column that holds the text with text_field": (
        "请让名字不重复，或用 text_field 指明另一列作正文"
    ),
    "no column {name}": "没有列 {name}",
    "the header has {names}": "表头有 {names}",
    "the header, read as {encoding}, has {names}": "按 {encoding} 读，表头有 {names}",
    "the header has {names} (the fields seem to be separated by {sign}: give the setting `delimiter` {value})": (
        "表头有 {names}（字段似乎以 {value} 分隔：请给 `delimiter` {value}）"
    ),
    "name the column that holds the text with text_field": "请用 text_field 指明正文列",
    "name the column that holds the label with id_field": "请用 id_field 指明 id 列",
    "begins with {sign} and not with [: for JSON lines give input_format jsonl": (
        "开头是 {sign} 而不是 [：如果是 JSON lines，请给 input_format jsonl"
    ),
    "put a single object into a list": "单个对象请放进列表",
    "is no JSON list: {why}, at byte {at}, after {count} items": (
        "不是 JSON 列表：第 {at} 字节处，{count} 项之后：{why}"
    ),
    "is no JSON list: it is cut off in the item with index {item}, which begins at byte {at}, or a bracket or quote of"
    " that item is not closed": (
        "不是 JSON 列表：从第 {at} 字节开始的下标为 {item} 的项被截断，或其中的括号或引号没有配对"
    ),
    "fix the file": "请修正文件",
    'is a workbook: save its sheet as "CSV UTF-8" and give that file': (
        "是 Excel 工作簿：请把工作表另存为“CSV UTF-8”，再给那个文件"
    ),
    "the name gives no format that can be read": "从名字看不出能读的格式",
    "allowed are {names}, each also with .gz or .zst after it": "可取 {names}，后面都可再加 .gz 或 .zst",
    "allowed are {names}, each also with .gz or .zst after it, and .parquet": (
        "可取 {names}（后面都可再加 .gz 或 .zst）和 .parquet"
    ),
    "allowed are {names}, each also with .gz or .zst after it, and .parquet and .warc (.warc.gz, .warc.wet)": (
        "可取 {names}（后面都可再加 .gz 或 .zst）、.parquet 和 .warc（.warc.gz、.warc.wet）"
    ),
    "convert the file or, where its name misleads, give the format (input_format jsonl, json, txt, csv or tsv)": (
        "请转换文件；如果只是名字不对，请指明格式（ input_format jsonl、json、txt、csv 或 tsv）"
    ),
    "encoding {name} is not known": "不认识编码 {name}",
    "give auto, utf-8, gb18030, gbk, big5, shift_jis, euc-jp, euc-kr, utf-16, latin1 or another name of the web's"
    " encodings (ISO-2022-JP is not read: convert such files)": (
        "请给 auto、utf-8、gb18030、gbk、big5、shift_jis、euc-jp、euc-kr、utf-16、latin1 或网页编码的别的名字（I"
        "SO-2022-JP"
        " 不能读：请转换）"
    ),
    # Models, schemes, saved runs.
    "is not a model": "不是模型",
    "`simsieve fit` makes models": "模型由 `simsieve fit` 生成",
    "the model is cut off or damaged (it ends too early)": "模型被截断或损坏（结束得太早）",
    "copy or fit it again": "请重新复制或统计",
    "a model goes to a file of its own and is compressed already": "模型要写进单独的文件，而且已经压缩",
    "give a name such as corpus.model": "请给 corpus.model 这样的名字",
    "is not a saved run": "不是存下的运行",
    "name the file of a saved run": "请给存下的运行的文件",
    "is a saved run that is cut off or damaged (its end mark is missing)": "存下的运行被截断或损坏（缺少结束标记）",
    "save the run again": "请重新存一次",
    "changed since {run} was saved ({bytes} bytes and {records} records then, {now} and {count} now)": (
        "{run} 存下之后变了（当时 {bytes} 字节、{records} 条，现在 {now} 字节、{count} 条）"
    ),
    "run on the sources again": "请用原来的输入重新运行",
    "the source {name} cannot be opened again, so this run cannot be saved": "{name} 不能再打开，所以这次运行不能存下",
    "write it to a file and name that": "请先写成文件，再给那个文件",
    "measure {measure} is for features that count once, and scheme {name} weighs them ({weights})": (
        "measure {measure} 用于每个特征只算一次的方案，而方案 {name} 给特征加权（{weights}）"
    ),
    "take a scheme that does not, such as chars128, or measure cosine": (
        "请用不加权的方案，例如 chars128，或 measure cosine"
    ),
    "measure containment is not for a cluster, because its pairs have an order": (
        "measure containment 不能用于集群，因为它的两篇有先后之分"
    ),
    "take cosine or jaccard, or one machine": "请用 cosine 或 jaccard，或在一台机器上运行",
    "unknown scheme {name}: did you mean {meant}? `simsieve schemes` describes all": (
        "没有方案 {name}：是不是 {meant}？`simsieve schemes` 有全部说明"
    ),
    "unknown scheme {name}: there are {names}": "没有方案 {name}：有的是 {names}",
    "unknown scheme {name}: {base} takes any width from {low} to {high}, as in {example}": (
        "没有方案 {name}：{base} 的位数可以是 {low} 到 {high}，例如 {example}"
    ),
    "`simsieve schemes` describes all": "`simsieve schemes` 有全部说明",
    "scheme {name} needs its model of document frequencies": "方案 {name} 需要文档频率的模型",
    "name the file as model=FILE (`{command}` makes one), or fit one first": (
        "请用 model=FILE 指明文件（由 `{command}` 生成），或先统计一个"
    ),
    "scheme {name} has fingerprints and no features, so there is no similarity: give max_distance, in bits from 0 to"
    " {most}": "方案 {name} 只有指纹，没有特征，也就没有相似度：请给 max_distance ，从 0 到 {most} 位",
    "scheme {name} is not used with a model: its weights are its own": "方案 {name} 不用模型：它有自己的权重",
    "leave the model out, or take a chars or words scheme": "去掉模型，或换用 chars 或 words 方案",
    'scheme {name}: "{option}" is not allowed': '方案 {name}：不能是 "{option}"',
    "{name} is a whole number from {low} to {high}": "{name} 是 {low} 到 {high} 的整数",
    "width {width} is not allowed": "位数不能是 {width}",
    "allowed: {low} to {high} for hash {hash}": "哈希 {hash} 的位数是 {low} 到 {high}",
    "xxh3, fnv1 and fnv1a go up to {most}": "xxh3、fnv1、fnv1a 最多 {most}",
    "model {digest} is of features {features} ({first}), and scheme {name} has features {others} ({second})": (
        "模型 {digest} 的特征是 {features}（{first}），而方案 {name} 的特征是 {others}（{second}）"
    ),
    "fit a model with this scheme (`{command}`)": "请用这个方案统计模型（`{command}`）",
    "sign {sign} is not allowed": "符号规则不能是 {sign}",
    "T is between {low} and {high} where weights have {bits} fraction bits: give one nearer to zero": (
        "权重有 {bits} 位小数时 T 在 {low} 与 {high} 之间：请给更接近零的"
    ),
    "is no UTF-8 at byte {at}": "第 {at} 字节起不是 UTF-8",
    "save it as UTF-8": "请存成 UTF-8",
    '{line}: a line is "word", "word frequency", "word tag" or "word frequency tag", with one space between': (
        "{line}：一行是“词”“词 频率”“词 词性”或“词 频率 词性”，中间一个空格"
    ),
    "a frequency is a whole number, a tag lower-case letters, and a word has no white space": (
        "频率是整数，词性是小写字母，词里没有空白"
    ),
    "SIMSIEVE_KERNEL={name} is no kernel of this machine": "这台机器没有 SIMSIEVE_KERNEL={name}",
    "it has {names}": "有的是 {names}",
    "unset it for the fastest": "不设即用最快的",
    "under this format a string is needed": "按这个格式应是字符串",
    "give format=int for whole numbers, such as {example}, or fix the record or name another field with text_field": (
        "整数请给 format=int，例如 {example}，或修正这条记录，或用 text_field 指明另一个字段"
    ),
    "the size in bytes of {name} was {before} when this run began, and is {after} now": (
        "{name} 的字节数在这次运行开始时是 {before}，现在是 {after}"
    ),
    "the digest of {name} was {before} when this run began, and is {after} now": (
        "{name} 的摘要在这次运行开始时是 {before}，现在是 {after}"
    ),
    "the time of change of {name} was {before} when this run began, and is {after} now": (
        "{name} 的修改时间在这次运行开始时是 {before}，现在是 {after}"
    ),
    "{path} was a source when this run began, and is none now": "{path} 在这次运行开始时是输入，现在不是",
    "put it back, or remove the folder and begin again": "请放回它，或删去文件夹重新开始",
    "{path} is a source now, and was none when this run began": "{path} 现在是输入，在这次运行开始时不是",
    "leave it out, or remove the folder and begin again": "请去掉它，或删去文件夹重新开始",
    "the sources were {before} when this run began, and are {after} now": (
        "输入在这次运行开始时是 {before}，现在是 {after}"
    ),
    "{name} was {before} when this run began, and is {after} now": "{name} 在这次运行开始时是 {before}，现在是 {after}",
    "go on with what it was, or remove the folder and begin again": "请用原来的继续，或删去文件夹重新开始",
    "fingerprints of two schemes cannot be compared: {one} (digest {first}) and {other} (digest {second})": (
        "两种方案的指纹不能比较：{one}（摘要 {first}）与 {other}（摘要 {second}）"
    ),
    "make both with one scheme": "请用同一种方案做两者",
    "the run directory is damaged ({what} is cut off or changed)": "运行目录已损坏（{what} 被截断或改动）",
    "remove it and begin again": "请删去它重新开始",
    "{folder} is a folder with other files, and no run directory": "{folder} 是有别的文件的文件夹，不是运行目录",
    "name a new or an empty folder": "请指明新的或空的文件夹",
    "{folder} holds a run": "{folder} 里已有一次运行",
    "go on with it by the setting `resume`, or remove it, or name another folder": (
        "请用设置 `resume` 继续，或删去它，或指明别的文件夹"
    ),
    "{folder} is no run directory": "{folder} 不是运行目录",
    "name one that a run kept by the setting `run_dir`": "请指明用设置 `run_dir` 留下的",
    "{folder} is in use by process {number}": "{folder} 正被进程 {number} 使用",
    "is a run directory of version {version}, and this simsieve goes on with version {own}": (
        "是版本 {version} 的运行目录，这个 simsieve 只能继续版本 {own} 的"
    ),
    "{folder} is read by another run": "{folder} 正被另一次运行读取",
    "wait for its end, or name another folder": "请等它结束，或指明别的文件夹",
    "no room is left for the run directory": "运行目录没有空间了",
    "make room and go on with the setting `resume`": "请腾出空间，再用设置 `resume` 继续",
    "its folder does not exist": "它的文件夹不存在",
    "make it, or name another run directory": "请新建它，或指明别的运行目录",
    # Outputs.
    "{name} is no folder": "{name} 不是文件夹",
    "write elsewhere": "请写到别处",
    "cannot be written: {why}": "写不了：{why}",
    "nothing was left at its name": "没有留下任何文件",
    "cannot be written: its folder {folder} takes no files (read-only filesystem or storage medium)": (
        "写不了：文件夹 {folder} 在只读的文件系统上"
    ),
    "-: no room is left in .; nothing was left at its name: free some space, or write elsewhere": (
        "标准输出写不了：没有空间了；请腾出空间，或写到别处"
    ),
    "what goes to standard output waits in a temporary file, and the temporary folder {folder} cannot take it: {why}": (
        "写到标准输出的内容先存在临时文件里，而临时文件夹 {folder} 写不了：{why}"
    ),
    "is decompressed or copied to a temporary file first, and the temporary folder {folder} cannot be written: {why}": (
        "要先解压或复制到临时文件，而临时文件夹 {folder} 写不了：{why}"
    ),
    "is decompressed or copied to a temporary file first, and the temporary folder {folder} has no room left": (
        "要先解压或复制到临时文件，而临时文件夹 {folder} 没有空间了"
    ),
    "free some space, or set TMPDIR to a folder with room": "请腾出空间，或把 TMPDIR 设为有空间的文件夹",
    "is no folder, so it cannot be the run directory": "不是文件夹，不能作运行目录",
    "name another": "请换一个",
    "the run directory cannot be written: {why}": "运行目录写不了：{why}",
    "grant the right, or name another": "请给予权限，或换一个",
    "is write-protected": "有写保护",
    "lift the protection or write to another file": "请解除写保护，或写到别的文件",
    "cannot be written: its folder {folder} takes no files (permission denied)": "写不了：文件夹 {folder} 没有写的权限",
    "grant the right, or write elsewhere": "请给予权限，或写到别处",
    "its folder {folder} does not exist": "文件夹 {folder} 不存在",
    "make it, or write elsewhere": "请先建立，或写到别处",
    "is a folder": "是文件夹",
    "name a file in it": "请给其中的文件名",
    "no room is left in {folder}": "{folder} 没有空间了",
    "nothing was left at its name: free some space, or write elsewhere": "没有留下任何文件：请腾出空间，或写到别处",
    "the output {sink} is in the source {source}: the next run would read it": (
        "输出 {sink} 在输入 {source} 之中：下次运行会读到它"
    ),
    "name a folder elsewhere": "请给别处的文件夹",
    "the output {sink} is the source {source}: sources are never overwritten": (
        "输出 {sink} 就是输入 {source}：输入从不覆盖"
    ),
    "write to another file": "请写到别的文件",
    "the outputs {first} and {second} are the same file": "输出 {first} 和 {second} 是同一个文件",
    "give each its own": "请各给各的",
    "the output {sink} is a folder, and only the files of folders can be put there as they are": (
        "输出 {sink} 是文件夹，只有来自文件夹的文件才能照原样放进去"
    ),
    "the output {sink} is named {form}, but the kept records come out as they are in the sources, as {other}": (
        "输出 {sink} 名为 {form}，但留下的记录照输入的原样写出，是 {other}"
    ),
    "give it the sources' ending, or .jsonl, which holds all": "请用输入的后缀，或用 .jsonl，它什么都能放",
    "the output {sink} ends in {ending}, which cannot be written": "输出 {sink} 以 {ending} 结尾，不能写",
    "the sources {sources} are of different formats, so their records can be written together only as JSON"
    " lines, and not in the output {sink}": (
        "输入 {sources} 格式不同，它们的记录只能合在 JSON lines 里，不能合在 {sink} 里"
    ),
    "the sources {first} ({one}) and {second} ({other}) are in different encodings, so their records cannot"
    " go into one output ({sink})": (
        "输入 {first}（{one}）和 {second}（{other}）编码不同，它们的记录不能合在一个输出（{sink}）里"
    ),
    "the tables {first} and {second} have different columns, so their records cannot be under one header in {sink}": (
        "表 {first} 和 {second} 的列不同，它们的记录不能合在 {sink} 的一个表头下"
    ),
    "name an output in .jsonl, give output_format jsonl, or make two runs": (
        "请用 .jsonl 的输出，或给 output_format jsonl，或分两次运行"
    ),
    "name an output in .jsonl of records that are no JSON lines yet, or make two runs": (
        "请用 .jsonl 的输出（记录本来不是 JSON lines 时），或分两次运行"
    ),
    "the answer has at least {count} pairs, more than max_pairs = {limit}": (
        "至少有 {count} 对，多于 max_pairs = {limit}"
    ),
    "raise it, take a stricter threshold, or use dedup, which needs no pairs": (
        "请提高它，或用更严的阈值，或用不需要列出对的 dedup"
    ),
    "its records are texts and have no field {name}": "它的记录是文本，没有字段 {name}",
    "the settings `block_by` and `differ` need records with fields, such as JSON lines or a table": (
        "`block_by` 和 `differ` 需要有字段的记录，例如 JSON lines 或表"
    ),
}
"""By the English template."""
