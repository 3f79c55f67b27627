"""Messages that Python raises or warns of in Chinese, by templates; see `bodies`."""

from simsieve.messages.zh_folders import FOLDERS
from simsieve.messages.zh_mongo import MONGO
from simsieve.messages.zh_read import READ
from simsieve.messages.zh_runs import RUNS
from simsieve.messages.zh_s3 import S3
from simsieve.messages.zh_sources import SOURCES
from simsieve.messages.zh_usage import USAGE
from simsieve.messages.zh_values import VALUES

ERRORS = {
    **FOLDERS,
    **READ,
    **MONGO,
    **RUNS,
    **S3,
    **SOURCES,
    **VALUES,
    **USAGE,
    # Values of settings and arguments.
    "{name} {value} is not a number: give a number in {interval}": "{name} {value} 不是数：请给 {interval} 之内的数",
    "{name} {value} is outside {interval}: give a number in {again}": (
        "{name} {value} 不在 {interval} 之内：请给 {again} 之内的数"
    ),
    "{name} {value} is outside (0, 1]: give a share such as 0.99": (
        "{name} {value} 不在 (0, 1] 之内：请给份额，例如 0.99"
    ),
    "{name} {value} is not a whole number: allowed is {low}..{high}": "{name} {value} 不是整数：可取 {low}..{high}",
    "{name} {value} is not allowed: allowed is {low}..{high}": "{name} 不能是 {value}：可取 {low}..{high}",
    "max_distance {value} is not allowed: {of} has {width} bits, allowed are the whole numbers 0..{most}": (
        "max_distance 不能是 {value}：{of} 有 {width} 位，可取整数 0..{most}"
    ),
    "keep {value} is not an order: allowed are {allowed}, or a list of them": (
        "keep {value} 不是次序：可取 {allowed}，或它们的列表"
    ),
    "keep is empty: allowed are {allowed}, or a list of them": "keep 是空的：可取 {allowed}，或它们的列表",
    "max_failed {value} is not allowed: give a number of records such as 10, or a percentage 0% to 100%": (
        "max_failed 不能是 {value}：请给条数，例如 10，或百分比 0% 到 100%"
    ),
    "{name} {value} is not a name: give a text that is not empty": "{name} {value} 不是名字：请给不空的文本",
    "delimiter {value} is not allowed: give one ASCII sign that is no letter, digit, quote or line break, such as ';',"
    " or tab": "分隔符不能是 {value}：请给一个 ASCII 符号，不能是字母、数字、引号或换行，例如 ';'，或 tab",
    "memory {value} is not allowed: give a size such as 8GiB, 512MiB or 2GB, or a number of bytes": (
        "内存不能是 {value}：请给大小，例如 8GiB、512MiB 或 2GB，或字节数"
    ),
    "{name} {value} is not allowed: give True or False": "{name} 不能是 {value}：请给 True 或 False",
    "{name} {value} is not known: allowed are {words}": "没有 {name} {value}：可取 {words}",
    "leave it out to go by the file's ending": "不给则按文件的后缀",
    "similarity {value} and max_distance {bits} are both given: give one of them, or neither for the default": (
        "similarity {value} 与 max_distance {bits} 不能同时给：给其中一个，或都不给而用默认值"
    ),
    "measure {measure} is of a similarity, and max_distance {bits} is given: leave one of them out": (
        "measure {measure} 是相似度的度量，却给了 max_distance {bits}：去掉其中一个"
    ),
    "max_ratio {value} is of measure containment, and the measure is {measure}: give measure containment, or leave"
    " max_ratio out": (
        "max_ratio {value} 只用于 measure containment，现在是 {measure}：请给 measure containment，或去掉 max_ratio"
    ),
    "measure containment is not for {what}, because its pairs have an order: give cosine or jaccard": (
        "measure containment 不能用于 {what}，因为它的两篇有先后之分：请给 cosine 或 jaccard"
    ),
    "{name} {value} and the threshold of scheme {scheme} are both given: leave one of them out": (
        "{name} {value} 与方案 {scheme} 的阈值不能同时给：去掉其中一个"
    ),
    "scheme {scheme} has {value} after @: give a similarity such as @0.8, or bits such as @3bits": (
        "方案 {scheme} 的 @ 后面是 {value}：请给相似度如 @0.8，或位数如 @3bits"
    ),
    "scheme names {count} schemes: allowed are 1 to {most}": "给了 {count} 个方案：可以是 1 到 {most} 个",
    "{what} is for one scheme, and {count} are given: {names}": "只能用一个方案，却给了 {count} 个：{names}",
    "unknown setting {name}: did you mean {meant}?": "没有设置 {name}：是不是 {meant}？",
    "unknown setting {name}: known are {names}": "没有设置 {name}：有的是 {names}",
    "unknown scheme {name}: known are {names}": "没有方案 {name}：有的是 {names}",
    "unknown scheme {name}: did you mean {meant}?": "没有方案 {name}：是不是 {meant}？",
    "unknown key {name}: did you mean {meant}?": "没有键 {name}：是不是 {meant}？",
    "unknown key {name}: known are {names}": "没有键 {name}：有的是 {names}",
    "bits {bits} and scheme {scheme} are both given: give one of them": "bits {bits} 与方案 {scheme} 不能同时给",
    "the pattern {pattern} is wrong at character {at}, counted from 0: {error}": (
        "正则表达式 {pattern} 在第 {at} 个字符（从 0 数）不对：{error}"
    ),
    "give a regular expression of Rust's regex crate, without look-around and backreferences": (
        "请给 Rust regex 库的正则表达式，不含环视和反向引用"
    ),
    "the pattern is empty": "正则表达式是空的",
    "{name} the pattern {pattern}": "{name} 正则表达式 {pattern}",
    "bits {bits} is not allowed: allowed are 64, 128 and 256": "bits 不能是 {bits}：可取 64、128 和 256",
    "from {value} is not allowed: give a similarity between 0 and 1": "--from 不能是 {value}：请给 0 与 1 之间的相似度",
    "from {value} is not allowed: give a similarity above 0 and at most {most}, the judged": (
        "--from 不能是 {value}：请给大于 0 且不超过 {most}（被评判的阈值）的相似度"
    ),
    "order {value} is not known: allowed are {words}": "没有次序 {value}：可取 {words}",
    # Files of settings and schemes.
    "is no TOML: {why}": "不是 TOML：{why}",
    "write keys as in {example}": "键要写成 {example}",
    'write settings as in similarity = 0.8 or keep = "last"': '设置要写成 similarity = 0.8 或 keep = "last"',
    "write settings as in {example}": "设置要写成 {example}",
    "{name} = {value} is of another type: give {kind}": "{name} = {value} 的类型不对：请给 {kind}",
    "the file of settings cannot be read: {why}": "设置文件读不了：{why}",
    "the file of stop words cannot be read: {why}": "停用词文件读不了：{why}",
    "the text cannot be read: {why}": "文本读不了：{why}",
    "the scheme cannot be read: {why}": "方案读不了：{why}",
    "the file of pairs cannot be read: {why}": "对的文件读不了：{why}",
    "the page cannot be read: {why}": "网页读不了：{why}",
    "the settings cannot be read: {why}": "设置读不了：{why}",
    "the scheme may not be read": "没有权限读这个方案",
    "the file of settings may not be read": "没有权限读设置文件",
    "the text may not be read": "没有权限读这个文本",
    "name a file that can be read": "请给能读的文件",
    "give a file of text, or --text for a literal": "请给文本文件；直接给正文要加 --text",
    "the file of pairs may not be read": "没有权限读对的文件",
    "the file of stop words may not be read": "没有权限读停用词文件",
    "the page may not be read": "没有权限读这个网页",
    "give a page of HTML": "请给一个 HTML 网页",
    "{part} {value} is not allowed": "{part} 不能是 {value}",
    "give {value}, which is near": "请给相近的 {value}",
    "give another function: its values differ from process to process": "请给别的函数：它的值每个进程不同",
    "give a finite number from 0 to below {most}, which fraction_bits = {bits} sets": (
        "请给从 0 到 {most}（不含）的有限数，由 fraction_bits = {bits} 决定"
    ),
    "give a whole number from {low} to {high}": "请给 {low} 到 {high} 的整数",
    "give a regular expression of Rust's regex crate, as a text": "请给文本形式的正则表达式，语法同 Rust 的 regex 库",
    "give one without re.ASCII and re.LOCALE: write classes such as [0-9a-z]": (
        "不能带 re.ASCII 和 re.LOCALE：请写 [0-9a-z] 这样的字符类"
    ),
    "Parquet files, data frames and Arrow tables are read and made by pyarrow, which is not installed: {command}": (
        "Parquet 文件、数据框和 Arrow 表要用 pyarrow 读写，而它没有安装：{command}"
    ),
    "WARC files are read by warcio, which is not installed: {command}": (
        "WARC 文件要用 warcio 读，而它没有安装：{command}"
    ),
    "collections of MongoDB are read and written by pymongo, which is not installed: {command}": (
        "MongoDB 的集合要用 pymongo 读写，而它没有安装：{command}"
    ),
    "scheme is an object in memory, and a file of settings names files only: describe the scheme in a TOML file": (
        "scheme 是内存里的对象，设置文件只写文件名：请把方案写进 TOML 文件"
    ),
    "scheme is an object in memory, and a saved run names its file: describe the scheme in a TOML file": (
        "scheme 是内存里的对象，存下的运行只写文件名：请把方案写进 TOML 文件"
    ),
    "{name} {value} holds a lone surrogate, which TOML cannot express: give another text": (
        "{name} {value} 里有单独的代理码位，TOML 写不出来：请换一个文本"
    ),
    "idf is a model in memory, and a file of settings names files only: save it and give its path": (
        "idf 是内存里的模型，设置文件写不下：请先存盘，再给路径"
    ),
    "scheme {name} names the file {file} in {folder}, whose name has a comma: move it": (
        "方案 {name} 用到 {folder} 里的文件 {file}，而文件夹名有逗号：请移走它"
    ),
    "the settings of the saved run cannot be used: {why}": "存下的运行的设置不能用：{why}",
    "save the run again, or name another": "请重新存一次，或给另一个",
    "scheme {name} says already what is extracted: leave out extract {value}": (
        "方案 {name} 已经指明取什么：去掉 extract {value}"
    ),
    "scheme {name} has no features to show: it takes fingerprints, not texts": (
        "方案 {name} 没有特征可看：它取的是指纹，不是文本"
    ),
    "setting {name} is of no use to fit: it takes {names}": "设置 {name} 对 fit 没有用：可用 {names}",
    "{why}. idf is for all {count} schemes of the run: leave idf out, and name the model in the one spec that"
    " it is for,"
    " as in {example}": (
        "{why}。idf 用于这次运行的全部 {count} 个方案：去掉 idf，并在需要它的方案里指明模型，例如 {example}"
    ),
    "model {name} counts no neighbours: fit one with an esimhash scheme": (
        "模型 {name} 没有统计相邻的词：请用 esimhash 方案统计"
    ),
    # Files of pairs, verdicts, labels.
    "labels come from one place: give the field of the labels, or a file of labelled pairs": (
        "标注只能来自一处：请给标注的字段，或标注过的对的文件"
    ),
    "{file} has a similarity of each pair, and no distance: give a threshold of it with similarity": (
        "{file} 里每对有相似度而没有距离：请用 similarity 给阈值"
    ),
    "{file} has a distance of each pair, and no similarity: give a threshold of it with max_distance": (
        "{file} 里每对有距离而没有相似度：请用 max_distance 给阈值"
    ),
    "{value} is no number: give the similarity of each pair, or none": "{value} 不是数：请给每对的相似度，或都不给",
    "verdicts {name} is no table: give a file in {endings}": "判定 {name} 不是表：请给 {endings} 文件",
    "has no pair: give a row for each, with the columns {names}": "一对也没有：每对要有一行，列为 {names}",
    "a pair needs two ids, and {name} is empty": "一对要有两个 id，而 {name} 是空的",
    "{name} {value} is no position: give a whole number, or none": "{name} {value} 不是位置：请给整数，或空着",
    "a and b are both {name}: a pair is of two records, each with its own id or position": (
        "a 和 b 都是 {name}：一对是两条记录，各有自己的 id 或位置"
    ),
    "has no column {name}: a file of pairs needs the columns {names}": "没有列 {name}：对的文件要有列 {names}",
    "has more than one column {name}: remove all but one": "列 {name} 不止一个：只留一个",
    "is no JSON list of objects such as {example}": "不是对象的 JSON 列表，例如 {example}",
    "is no JSON object such as {example}": "不是 JSON 对象，例如 {example}",
    "is no whole packed file ({why})": "不是完整的压缩文件（{why}）",
    "pack it again": "请重新压缩",
    "is neither UTF-8 nor GB18030": "既不是 UTF-8 也不是 GB18030",
    "save it as CSV in UTF-8": "请存成 UTF-8 的 CSV",
    "has {count} fields, and the header has {header}": "有 {count} 个字段，而表头有 {header} 个",
    "correct the row": "请改正这一行",
    "verdict {word} is unknown: allowed are same, different, keep a, keep b, or 1 and 0": (
        "没有判定 {word}：可取 same、different、keep a、keep b，或相同、不同、保留 a、保留 b，或 1 和 0"
    ),
    "an empty one is not judged yet": "空的是还没有判",
    "verdicts contradict one another, one says different, the other does not: {rows}": (
        "判定互相矛盾，一个说不同，另一个不然：{rows}"
    ),
    "verdicts contradict one another, each keeps the other record: {rows}": "判定互相矛盾，各保留另一条：{rows}",
    "verdicts contradict one another, what they keep goes round in a circle: {rows}": (
        "判定互相矛盾，保留的次序成了环：{rows}"
    ),
    "{first} on {a} and {b}": "{first}，{a} 与 {b}",
    "change or remove one of them": "请改或删其中一个",
    "{count} of {total} verdicts name an id that no record has, such as {name}": (
        "{total} 个判定中有 {count} 个的 id 没有记录，例如 {name}"
    ),
    "{count} of {total} verdicts names an id that no record has, such as {name}": (
        "{total} 个判定中有 {count} 个的 id 没有记录，例如 {name}"
    ),
    "check the verdicts, or id_field": "请检查判定，或 id_field",
    "{count} of {total} verdicts say same or keep of records that differ in {fields}: they stay apart": (
        "{total} 个判定中有 {count} 个说相同或保留，而两条记录的 {fields} 不同：仍然分开"
    ),
    "none of {count} records has a label in the field {name}: did you mean {meant}? The fields are {names}": (
        "{count} 条记录的字段 {name} 都没有标注：是不是 {meant}？字段有 {names}"
    ),
    "none of {count} records has a label in the field {name}: the fields are {names}": (
        "{count} 条记录的字段 {name} 都没有标注：字段有 {names}"
    ),
    "there is no column of labels {name}: did you mean {meant}? The fields are {names}": (
        "没有标注列 {name}：是不是 {meant}？列有 {names}"
    ),
    "there is no column of labels {name}: the fields are {names}": "没有标注列 {name}：列有 {names}",
    "name the field of the labels": "请指明标注的字段",
    "by {where} no two of {count} documents are the same, so there is nothing to find: name another field, or give"
    " labels of pairs": "按 {where}，{count} 篇文档没有两篇相同，没有可找的：请指明别的字段，或给标注过的对",
    "a and b are one record, {name}": "a 和 b 是同一条记录 {name}",
    "the verdict on {one} and {other} contradicts another one, which names the same two records otherwise": (
        "对 {one} 和 {other} 的判定与另一个矛盾，后者用别的名字指同样两条记录"
    ),
    "none of the {total} verdicts is on records of these sources, such as {example}: give the id_field that the"
    " verdicts were made with, or the sources that were judged": (
        "{total} 个判定没有一个是关于这些输入里的记录的，例如 {example}：请给做判定时用的 id_field，或判定时的那些输入"
    ),
    "{column} {check} is none: leave it as it was, or empty": "{column} {check} 不对：请照原样留着，或留空",
    "{count} ids are of no document, such as {names} ({where}): name the field of the ids with id_field, or give the"
    " source of these pairs": (
        "{count} 个 id 没有文档，例如 {names}（{where}）：请用 id_field 指明 id 的字段，或给这些对的输入"
    ),
    "{count} ids are of no document, such as {names} ({where})": "{count} 个 id 没有文档，例如 {names}（{where}）",
    "their pairs are left out": "它们的对不算",
    "{count} of {all} documents are no copies of one another, and a calibration needs at least {least}: give more"
    " documents, or labels": "{all} 篇文档中只有 {count} 篇互不重复，校准至少要 {least} 篇：请给更多文档，或标注",
    # Outputs and runs.
    "{why}; set TMPDIR to a folder with room": "{why}；请把 TMPDIR 设为有空间的文件夹",
    "cannot be written: {why}; nothing was left at its name: choose another place": (
        "写不了：{why}；没有留下任何文件：请换个地方"
    ),
    "annotated records do not go to a folder: give a file in place of {name}": (
        "加注的记录不能写进文件夹：请给文件，不要给 {name}"
    ),
    "output_format {value} is not one of a table: allowed are jsonl, csv, tsv and parquet": (
        "output_format {value} 不是表的格式：可取 jsonl、csv、tsv 和 parquet"
    ),
    "a table of results cannot have the ending {ending}: allowed are .jsonl, .csv and .tsv, each also with .gz or .zst,"
    " and .parquet": "结果表不能以 {ending} 结尾：可取 .jsonl、.csv、.tsv（后面都可再加 .gz 或 .zst）和 .parquet",
    "Excel opens .csv": "Excel 能打开 .csv",
    "JSON lines are .jsonl": "JSON lines 是 .jsonl",
    "a table for people is .tsv": "给人看的表用 .tsv",
    "{name} has {size} bytes, and of {read} records none is kept, and {failed} failed: it is left as it was": (
        "{name} 有 {size} 字节，而 {read} 条记录一条也没有留下，{failed} 条失败：它没有改动"
    ),
    "{name} has {size} bytes, and there is no near pair: it is left as it was": (
        "{name} 有 {size} 字节，而没有相似的对：它没有改动"
    ),
    "{name} has {size} bytes, and no record was read: it is left as it was": (
        "{name} 有 {size} 字节，而一条记录也没读到：它没有改动"
    ),
    "{name} is not written: every record failed": "没有写 {name}：每条记录都失败了",
    "correct the records, or give allow_empty for an empty file": "请修正记录；要空文件请给 allow_empty",
    "name another file, or give allow_empty to replace it by nothing": (
        "请给别的文件；要用空的替换它，请给 allow_empty"
    ),
    "{name} is no name of a page of HTML: give one that ends in .html, and open it in a browser": (
        "{name} 不是 HTML 网页的名字：请给以 .html 结尾的，再用浏览器打开"
    ),
    "name an output in .parquet": "请用 .parquet 的输出",
    "Parquet is not written to stdout": "Parquet 不写到标准输出",
    "the saved run {run} was made without verdicts: leave them out, or run on the sources with them": (
        "保存的运行 {run} 没有用判定：请去掉判定，或带着判定在来源上重新运行"
    ),
    "{name} {value} is not that of the saved run {run}, which has None: leave it out, or run on the sources again": (
        "{name} {value} 与存下的运行 {run} 不同，那次没有给：去掉它，或用原来的输入重新运行"
    ),
    "{name} {value} is not that of the saved run {run}, which has {made}: leave it out, or run on the sources again": (
        "{name} {value} 与存下的运行 {run} 不同，那次是 {made}：去掉它，或用原来的输入重新运行"
    ),
    "{bound} of memory are too little for {count} records: about {needed} are needed with a run directory, and {whole}"
    " without": "内存 {bound} 不够 {count} 条记录用：有运行目录约需 {needed}，没有约需 {whole}",
    "memory {value} is below the {least} that every run may take: a run may hold {again}": (
        "内存 {value} 低于每次运行都可用的 {least}：运行可占到 {again}"
    ),
    "the run directory takes about {needed} of disk, and {free} are free for {folder}": (
        "运行目录约占磁盘 {needed}，{folder} 处空闲 {free}"
    ),
    "the run directory in {folder} takes about {disk} of disk: {columns} columns, {keys} search keys, {pairs} pairs"
    " found, {decisions} decisions": (
        "{folder} 里的运行目录约占磁盘 {disk}：各列 {columns}，搜索键 {keys}，找到的对 {pairs}，取舍结果 {decisions}"
    ),
    "it costs about {seconds} s": "约费 {seconds} 秒",
    "is copied to a temporary file in {folder} while it is read, at most about {size}": (
        "读入时复制到 {folder} 里的临时文件，至多约 {size}"
    ),
    "is copied to a temporary file in {folder} while it is read, at most about {share} of its text, of which"
    " {size} are read so far": ("读入时复制到 {folder} 里的临时文件，至多约为正文的 {share}，已读入 {size}"),
    "{free} are free there, and another folder is given by the setting `run_dir` or the variable TMPDIR": (
        "那里空闲 {free}，可用 `run_dir` 或变量 TMPDIR 另给文件夹"
    ),
    "give a folder on a larger disk by the setting `run_dir`, or by the variable TMPDIR where the directory is among"
    " the temporary files": "请用 `run_dir` 给更大磁盘上的文件夹；运行目录在临时文件里时，用变量 TMPDIR",
    "give more by the setting `memory`, or fewer records": "请用 `memory` 给更多内存，或给更少的记录",
    "resume looks for the run directory beside the output, and there is no output file: give run_dir, or an output": (
        "--resume 在输出旁边找运行目录，而没有输出文件：请给 run_dir ，或给输出"
    ),
    "what is finished is in {folder}: run the same again with the setting `resume` to go on": (
        "已完成的部分在 {folder}：用 `resume` 再运行一次即可继续"
    ),
    "there is nothing to fit: give a source, or models to merge": "没有可统计的：请给输入，或要合并的模型",
    "max_ratio {value} is too large for a recall of {recall} over {count} documents: of pairs at the threshold and this"
    " ratio {found} will be found. What would fit: a max_ratio of {ratio}, a higher similarity, a lower recall, or less"
    " than 8,192 documents, of which every pair is tested": (
        "max_ratio {value} 太大，{count} 篇文档达不到召回率 {recall}：阈值和这个倍数上的对只会找到 {found}。可行的是："
        "max_ratio {ratio}，更高的相似度，更低的召回率，或不到 8,192 篇（每一对都试）"
    ),
    "similarity {value} is too low for a recall of {recall} over {count} documents: of pairs at the threshold"
    " {found} will"
    " be found. What would fit: a similarity of {least}, a lower recall, or less than 8,192 documents, of which every"
    " pair is tested": (
        "相似度 {value} 太低，{count} 篇文档达不到召回率 {recall}：阈值上的对只会找到 {found}。可行的是：相似度 "
        "{least}，更低的召回率，"
        "或不到 8,192 篇（每一对都试）"
    ),
    "{needed} GB are needed and {free} GB are free: about {count} documents would fit, or a higher similarity"
    " or a lower"
    " recall, which make fewer keys": (
        "需要 {needed} GB，空闲 {free} GB：约 {count} 篇可行；或用更高的相似度、更低的召回率，键会少些"
    ),
    "a plan without a source is for fingerprints under max_distance: give a source, whose texts say what a search by"
    " similarity meets, or documents and max_distance": (
        "没有输入时，只能对 max_distance 之下的指纹作预测：请给输入，按相似度的搜索会遇到多少对要看文本；或给 documents"
        " 和 max_distance"
    ),
    "documents {count} is less than the {found} of the source: leave it out, or plan a part by limit": (
        "documents {count} 少于输入的 {found} 篇：去掉它，或用 limit 预测一部分"
    ),
    "the forecast is {hours} hours": "预计要 {hours} 小时",
    "a higher similarity, a lower recall or fewer documents take less": "更高的相似度、更低的召回率或更少的文档会省些",
    "a smaller max_distance, a lower recall or fewer documents take less": (
        "更小的 max_distance 、更低的召回率或更少的文档会省些"
    ),
    "each document meets about {count} others that must be looked at": "每篇约要与 {count} 篇相比",
    "a higher similarity or fewer documents meet less": "更高的相似度或更少的文档会少些",
    "a smaller max_distance or fewer documents meet less": "更小的 max_distance 或更少的文档会少些",
}
"""By the English template."""
