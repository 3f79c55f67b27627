"""The help in Chinese: what commands and options do, what settings take, and the titles of groups."""

HELP = {
    "[OPTIONS]": "[选项]",
    "Input": "输入",
    "What is near": "怎样算相似",
    "Which stays": "留下哪一篇",
    "Output": "输出",
    "Advanced": "进阶",
    "Examples": "例子",
    "Commands": "命令",
    "The field or column that holds the text. The texts of several fields, or of a list, are joined in order; a record "
    "may lack some fields.": "正文所在的字段或列。几个字段或一个列表的文本按顺序连起来；一条记录可以缺其中几个字段。",
    "a field name, or several; dots reach into objects, .* into lists": (
        "一个或几个字段名；用点进入对象内部，用 .* 进入列表"
    ),
    "a field name, or several; dots reach into objects": "一个或几个字段名；用点进入对象内部",
    "The field that holds a record's label.": "记录标签所在的字段。",
    "a field name; dots reach into objects": "字段名；用点进入对象内部",
    "How a text becomes a fingerprint. A scheme has normaliser, features, weights, hash and width. Append @0.8 or "
    "@3bits for a threshold of its own.": (
        "文本怎样变成指纹。方案包括规范化、特征、权重、哈希和位数。后面加 @0.8 或 @3bits 是它自己的阈值。"
    ),
    "a name that `simsieve schemes` lists, name:option=value,..., or a file NAME.toml; optionally @0.8 or @3bits": (
        "`simsieve schemes` 列出的名字，name:option=value,...，或文件 NAME.toml；后面可加 @0.8 或 @3bits"
    ),
    "For several --scheme: documents are near if they are near under all of them, or under any. Under all, the "
    "first scheme finds the candidates.": (
        "用于几个 --scheme：文档在所有方案下都相似才算相似，或在任一方案下相似即算。all 时由第一个方案找候选。"
    ),
    "all or any": "all 或 any",
    "The part of HTML texts that is used: the visible text, or the main text. Part of the scheme.": (
        "用 HTML 的哪一部分：可见文本（text）或正文（main）。它是方案的一部分。"
    ),
    "none, text or main": "none、text 或 main",
    "End a text where the first match begins; a text without one stays whole. Part of the scheme.": (
        "文本到第一个匹配之前为止；没有匹配的文本保持不变。它是方案的一部分。"
    ),
    "Take all matches out of a text, after cut_at. Part of the scheme.": (
        "在 cut_at 之后，删去文本里的所有匹配。它是方案的一部分。"
    ),
    "a regular expression of Rust's regex crate": "正则表达式，语法同 Rust 的 regex 库",
    "Weigh rare features more: `fit` counts features in a first pass over the sources, a file has such counts. "
    "weights=once of the scheme becomes idf, tf becomes tf-idf, log becomes log-idf.": (
        "让罕见的特征更重：`fit` 先把输入读一遍，统计特征；文件里是统计好的。方案的 weights=once 变成 idf，tf 变成 "
        "tf-idf，log 变成 log-idf。"
    ),
    "none, fit, or a file that `simsieve fit` wrote": "none、fit，或 `simsieve fit` 写出的文件",
    "Features that a fitted model distinguishes; above this some count together.": (
        "模型能区分多少个特征；超过时有些特征合在一起统计。"
    ),
    "1 to 67108864": "1 到 67108864",
    "Documents at least this similar are near. Without a threshold it is 0.6, 0.43 under measure jaccard and 0.8 under"
    " containment. Not together with `max_distance`.": (
        "相似度不低于它的文档算相似。不给阈值时是 0.6，用 jaccard 时是 0.43，用 containment 时是 0.8。不能与 "
        "`max_distance` 同时给。"
    ),
    "Fingerprints that differ in at most this many bits are near. Not together with `similarity`.": (
        "指纹相差不超过这么多位的算相似。不能与 `similarity` 同时给。"
    ),
    "0 to the scheme's width less 1": "0 到方案的位数减 1",
    "The measure of similarity. cosine is that of the weighted features, jaccard that of the sets of features, for "
    "schemes whose features count once. Under containment a document is dropped if an earlier kept one has this share"
    " of its features; keep the longest first.": (
        "用哪种相似度。cosine 是带权特征的余弦；jaccard 是特征集合的 Jaccard 相似度，用于每个特征只算一次的方案。"
        "用 containment 时，前面保留的文档若有它这么大比例的特征，就丢弃它；请先保留最长的。"
    ),
    "cosine, jaccard or containment": "cosine、jaccard 或 containment",
    "Under measure containment: a document is only compared with kept ones of at most this many times its features. The"
    " search costs more for a larger ratio.": (
        "用 containment 时：只与特征数不超过它这么多倍的保留文档比较。倍数越大，查找越费时。"
    ),
    "The share of the near pairs that the search is built to find, under similarity.": (
        "用 similarity 时，查找要找到多大比例的相似对。"
    ),
    "Compare only records whose value of this field is equal. A missing value equals another missing one.": (
        "只比较这个字段的值相等的记录。都缺这个值也算相等。"
    ),
    "numbers, negation": "numbers（数字）、negation（否定词）",
    "Never drop a record for one whose text has other numbers, with their signs and units, or other words of"
    " negation, such as not and never. Clean the texts first if they have numbers of questions or pages.": (
        "文本中数字（连同正负号和单位）或否定词（如“不”、not）不同的两条记录，绝不因彼此而丢弃。文本若有题号或页码，请先清洗。"
    ),
    "Never drop a record that loses more: the longest run of its text that the kept one does not have, in units. A Han,"
    " kana or Hangul character has 2 units, any other 1. With keep longest more records are dropped.": (
        "一条记录若丢失得更多，绝不丢弃：它的文本中，保留的那条所没有的最长一段，以单位计。"
        "汉字、假名、谚文每字 2 个单位，其他字符 1 个。与 keep longest 同用时丢弃得更多。"
    ),
    "Never drop a record for one whose value of this field differs, such as the answer to a question.": (
        "这个字段的值不同的记录，绝不因彼此而丢弃，例如题目的答案。"
    ),
    "Verdicts of people on pairs of ids: same, different, keep a or keep b; 1 and 0 are same and different. They"
    " override the texts.": (
        "人对 id 对的判定：same（相同）、different（不同）、keep a（保留 a）或 keep b（保留 b）；1 和 0 即相同和不同。"
        "判定优先于文本。"
    ),
    "a table of a, b and verdict: .csv, .tsv, .jsonl, .json or .parquet; in Python also a data frame, or rows of (a, b,"
    " verdict)": (
        "有 a、b、verdict 三列的表：.csv、.tsv、.jsonl、.json 或 .parquet；在 Python 里也可以是数据框，"
        "或 (a, b, verdict) 的行"
    ),
    "Which document of a cluster is kept. Later entries of a list break ties; the position breaks the last ones."
    " Texts of files can be ordered by max:mtime, path and shortest-name.": (
        "一组里保留哪一篇。分不出先后时看列表里的下一项，最后看位置。文件的文本可按 max:mtime、path、shortest-name 排。"
    ),
    "first, last, longest, shortest, path, shortest-name, max:FIELD, min:FIELD, or a list of them": (
        "first、last、longest、shortest、path、shortest-name、max:字段、min:字段，或它们的列表"
    ),
    "Seeds the search and the recall sample; the same seed gives the same result.": (
        "查找和召回率抽样的随机种子；种子相同，结果就相同。"
    ),
    "0 to 2^64 - 1": "0 到 2^64 - 1",
    "0 to 2^31 - 1": "0 到 2^31 - 1",
    "units": "单位",
    "Number of threads; 0 uses all cores. Never changes a result.": "线程数；0 用所有核。不影响结果。",
    "0 to 1024": "0 到 1024",
    "threads": "个线程",
    "Documents processed at a time; 0 lets simsieve choose. Never changes a result.": (
        "一次处理多少篇；0 由 simsieve 决定。不影响结果。"
    ),
    "0 to 2^63 - 1": "0 到 2^63 - 1",
    "documents": "篇",
    "A longer record counts as failed.": "更长的记录算失败。",
    "1 to 2^63 - 1": "1 到 2^63 - 1",
    "bytes": "字节",
    "With more failed records than this the exit code is 1; the results are written anyway.": (
        "失败的记录多于它时退出码是 1；结果照样写出。"
    ),
    "a number of records, or a percentage such as 1%": "条数，或百分比，例如 1%",
    "Refuse an answer of more pairs than this. The message has their least number.": (
        "相似的对多于它时拒绝给出结果。提示里写明至少有多少对。"
    ),
    "pairs": "对",
    "Kept documents that are compared with every earlier kept one to measure the recall; 0 measures nothing.": (
        "测召回率时抽多少篇保留的文档，与它之前保留的每一篇相比；0 不测。"
    ),
    "The form of the sources; by default the extension decides.": "输入的格式；默认由后缀决定。",
    "jsonl, json, txt, csv, tsv or parquet": "jsonl、json、txt、csv、tsv 或 parquet",
    "The form of the kept records; by default the output's ending decides. Where it is another than that of the"
    " sources, the fields of the records are written.": (
        "保留记录的格式；默认由输出文件的后缀决定。与输入的格式不同时，写出记录的各个字段。"
    ),
    "that of the sources, jsonl, json, csv, tsv or parquet": "与输入相同，jsonl、json、csv、tsv 或 parquet",
    "Read only the first records of the sources; old documents are all read.": (
        "只读输入的前若干条记录；旧文档全部读入。"
    ),
    "Let a folder without texts count as no records, and let an output without records replace one that has some.": (
        "没有文本的文件夹算作没有记录；允许空的输出替换非空的文件。"
    ),
    "true or false": "true 或 false",
    "The encoding of the sources, and so of the kept records. auto finds it for each file by trying, and says what it"
    " found. PATTERN=NAME is for the files that match, such as '*.csv=gb18030'. May be repeated.": (
        "输入的编码，保留的记录也是这个编码。auto 为每个文件试读来识别，并报告结果。"
        "PATTERN=NAME 只用于匹配的文件，例如 '*.csv=gb18030'。可以重复。"
    ),
    "auto, a name such as gb18030, big5, shift_jis, utf-16 or latin1, or PATTERN=NAME, or a list of them": (
        "auto，编码的名字，例如 gb18030、big5、shift_jis、utf-16、latin1，或 PATTERN=NAME，或它们的列表"
    ),
    "Whether quotes are around fields of CSV and TSV. none takes them as data, so that each line is a row. auto decides"
    " by what fails or is swallowed under each, and says it where quotes are data.": (
        "CSV 和 TSV 的引号是否用来括住字段。none 把引号当作内容，每一行都是一条。"
        "auto 看两种读法各有多少行失败或被吞掉再决定；引号是内容时会提示。"
    ),
    "auto, minimal or none": "auto、minimal 或 none",
    "The sign between the fields of CSV and TSV. By default that of CSV is found: comma, semicolon, tab or |.": (
        "CSV 和 TSV 的字段之间的分隔符。默认自动识别 CSV 的分隔符：逗号、分号、制表符或 |。"
    ),
    "an ASCII sign that is no letter, digit, quote or line break; tab for a tab": (
        "一个 ASCII 符号，不能是字母、数字、引号或换行；制表符写成 tab"
    ),
    "Find the near-duplicates in a collection of texts, keep one of each, and say why.": (
        "在一批文本里找出近似重复的文本，每组只留一份，并说明为什么。"
    ),
    "Exit codes: 0 done; 1 done, with more failed records than --max-failed allows; 2 could not run; 130 "
    "interrupted.": "退出码：0 完成；1 完成，但失败的记录多于 --max-failed 所允许的；2 无法运行；130 被中断。",
    "Find the near-duplicates and write one document of each.": "找出近似重复的文本，每组写出一篇。",
    "A source is a .jsonl, .json, .csv, .tsv or .txt file (a document a line), also with .gz or .zst, or `-` for "
    "stdin; a .parquet file; a .warc or .warc.wet file with pages or texts; a folder of .txt, .md and .html "
    "files, or of files with records; a pattern such as 'data/*.jsonl'; objects of a store, s3://BUCKET/KEY; or a"
    " collection, mongodb://HOST/DATABASE.COLLECTION. Kept records come out byte for byte, in their order. `-o "
    "FOLDER/` writes a file for each source. Files of a folder come out as a list of their paths, or with `-o "
    "FOLDER/` as files. Outputs may be objects too.": (
        "SOURCE 可以是 .jsonl、.json、.csv、.tsv、.txt 文件（一行一篇），后面可再加 .gz 或 .zst；`-` 是标准输入；也可以"
        "是 .parquet 文件，有网页或文本的 .warc 或 .warc.wet 文件，装着 .txt、.md、.html 或记录文件的文件夹，"
        "'data/*.jsonl' 这样的模式，对象存储里的对象 s3://BUCKET/KEY，或 MongoDB 的集合 mongodb://HOST/DATABASE.COLLECTION。"
        "保留的记录逐字节照原样、按原来的顺序写出。`-o FOLDER/` 给每个输入写一个文件。"
        "文件夹写出的是路径的列表；用 `-o FOLDER/` 则写出文件。输出也可以是对象。"
    ),
    "The file for the kept records; `-` is stdout, and FOLDER/ gets a file for each source. --dry-run needs none.": (
        "写保留记录的文件；`-` 是标准输出，FOLDER/ 给每个输入写一个文件。--dry-run 时不必给。"
    ),
    "Drop records that are near an old document of this file. Old documents are neither decided nor written. May "
    "be repeated.": "丢弃与这个文件里的旧文档相似的记录。旧文档不作取舍，也不写出。可以重复给。",
    "Write what was decided about each record, and why. Its name gives the format: .jsonl, .csv, .tsv or .parquet; "
    "so do the names of the next three.": (
        "写出每条记录的取舍和理由。文件名决定格式：.jsonl、.csv、.tsv 或 .parquet；下面三个也是这样。"
    ),
    "Write the dropped records as they were. Each has its representative and the similarity to it.": (
        "照原样写出丢弃的记录。每条带有它的代表和与代表的相似度。"
    ),
    "Write the records of every group of two or more.": "写出每个两篇以上的组里的记录。",
    "Write the records that failed, with their bytes and the reason.": "写出失败的记录，带有原字节和原因。",
    "Write all records to the output, not only the kept ones, each with decision, group, representative and "
    "similarity.": "把所有记录写进输出，不只是保留的；每条带有取舍、组、代表和相似度。",
    "Write the run's numbers as one JSON object.": "把这次运行的各个数写成一个 JSON 对象。",
    "Save the run, so that --from-run can decide again at a stricter threshold.": (
        "存下这次运行，以后用 --from-run 按更严的阈值重新取舍。"
    ),
    "Add every near pair to the saved run, so that --from-run need not search; at most --max-pairs of them.": (
        "把所有相似的对也存进去，--from-run 就不必再找；最多 --max-pairs 对。"
    ),
    "Take settings from a TOML file, under their Python names; options given here take precedence.": (
        "从 TOML 文件读设置，名字同 Python；这里给出的选项优先。"
    ),
    "Only print the settings in force as TOML, for --config, each with its help.": (
        "只把当前的设置打印成 TOML，每项带说明，供 --config 使用。"
    ),
    "Write the settings in force as TOML, for --config.": "把当前的设置写成 TOML，供 --config 使用。",
    "Put hard links instead of copies into a folder of kept files.": "在放保留文件的文件夹里建硬链接，而不复制。",
    "Decide again from a saved run instead of SOURCE, at an equal or stricter threshold of the same kind. Its "
    "sources must not have changed.": (
        "不读 SOURCE，按存下的运行重新取舍；阈值要同一种，同样严或更严。那次的输入不能有变化。"
    ),
    "Do everything except writing.": "什么都做，只是不写文件。",
    "The run's numbers as JSON on stdout, or on stderr with `-o -`.": (
        "把各个数以 JSON 写到标准输出；用 `-o -` 时写到标准错误。"
    ),
    "No progress and no closing report; errors are printed.": "不显示进度和结尾的报告；错误照样显示。",
    "How progress is shown on stderr: auto is a bar on a terminal and a line every five seconds elsewhere; json is one"
    " object a line, with stage, done, total, rate, and eta_seconds and whole of the whole run.": "进度在标准错误上的"
    "样子：auto 在终端上是进度条，在别处每五秒一行；json 每行一个对象，有 stage、done、total、rate，以及"
    "全程的 eta_seconds 和 whole。",
    "Drop records that are near what an earlier run kept. Its records are not encoded again. Of a collection only"
    " documents are read whose _id follows the last one that the run has read.": (
        "丢弃与之前某次运行保留的记录相似的记录。那次的记录不再重新编码。集合只读 _id 在那次读到的最后一个之后的文档。"
    ),
    "The field of a collection of MongoDB, such as the time of creation, whose greater values show to since_run which"
    " documents came in later. Give it in every run on the collection. By default _id shows it.": (
        "MongoDB 集合中的字段，例如创建时间：since_run 按它较大的值认出后来加入的文档。对这个集合每次运行都要给。"
        "默认按 _id。"
    ),
    "Report what the search did, too: pairs, speed, forecast.": "也报告查找的过程：对数、速度、预测。",
    "Show all options.": "显示所有选项。",
    "List the pairs of near documents, and drop nothing.": "列出相似的对，什么也不丢。",
    "The pairs are those in the sources, or across two collections. Each is a row of a, b, distance and "
    "similarity: a and b are ids, and a comes before b in the sources. The rows are JSON lines on stdout.": (
        "对在输入之内，或跨两批文本。每对一行：a、b、distance、similarity；a 和 b 是 id，a 在输入里排在 b 之前。写到"
        "标准输出时是 JSON lines。"
    ),
    "Where the pairs go: .jsonl, .csv, .tsv or .parquet; `-`, the default, is stdout.": (
        "相似的对写到哪里：.jsonl、.csv、.tsv 或 .parquet；默认是 `-`，即标准输出。"
    ),
    "Give only pairs across two collections: a of the sources, b of this file. May be repeated.": (
        "只给出跨两批文本的对：a 来自输入，b 来自这个文件。可以重复给。"
    ),
    "Compare two texts by every measure, and show where they differ.": "用每种度量比较两篇文本，并指出哪里不同。",
    "The measures are distance, similarity, Jaccard similarity, containment both ways and edits. A and B are files "
    "of UTF-8 text, one of them may be `-` for stdin. FILE:N is the N-th record of a file of records, from 1 on; "
    "FILE:ID is the one with that id. With --extract, or a scheme on pages, they are pages in any encoding that "
    "browsers know, and the differences are those of what is extracted.": (
        "度量有距离、相似度、Jaccard 相似度、两个方向的包含度和编辑相似度。A 和 B 是 UTF-8 文本文件，其中一个可以是 "
        "`-`（标准输入）。FILE:N 是记录文件的第 N 条记录，从 1 数起；"
        "FILE:ID 是 id 为此值的那条。用 --extract 或网页方案时是网页，浏览器认识"
        "的编码都可以，比较的是抽取出来的部分。"
    ),
    "Every option of `simsieve dedup` is taken, so that `plan` can replace it in a command. Fields and settings are"
    " checked as there; nothing is written.": (
        "`simsieve dedup` 的选项这里都能用，所以可以把命令里的 `dedup` 换成 `plan`。字段和设置照样检查；什么也不写。"
    ),
    "A and B are the texts themselves, not files.": "A 和 B 就是文本，不是文件名。",
    "One JSON object, with every difference.": "一个 JSON 对象，包括每一处不同。",
    "Write the fingerprint of each document.": "写出每篇文档的指纹。",
    "A line has id, tab, fingerprint; of several schemes, a column each. A file has the columns id and fingerprint "
    "with a header; of several schemes each has a column of its name.": (
        "一行是 id、制表符、指纹；几个方案时每个方案一列。写到文件时有表头，列是 id 和 fingerprint；几个方案时列名是"
        "方案的名字。"
    ),
    "A SOURCE is a collection, or a page of HTML. The id of a page is its name. Its encoding is found as browsers "
    "find it, unless --encoding names it. Without --scheme and --extract a page has two fingerprints, of its main "
    "text and of its structure, which --cut-at and --strip leave out. A page that cannot be used is reported on "
    "stderr with the reason, and the others are written. So is a file that cannot be read, but the exit code is then "
    "2.": (
        "SOURCE 是一批文本，或一个 HTML 网页。网页的 id 是文件名。编码像浏览器那样识别，除非用 --encoding 指明。不给 "
        "--scheme 和 --extract 时，一个网页有两个指纹：正文的和结构的；给了 --cut-at 或 --strip 就没有结构的。不能用"
        "的网页连同原因报告到标准错误，其余照样写出。读不了的文件也这样，但退出码是 2。"
    ),
    "Where the fingerprints go: .tsv, .csv, .jsonl or .parquet; `-`, the default, is stdout.": (
        "指纹写到哪里：.tsv、.csv、.jsonl 或 .parquet；默认是 `-`，即标准输出。"
    ),
    "The notation of a fingerprint: hex by default. hex and bits have the most significant digit first.": (
        "指纹的写法：默认是 hex。hex 和 bits 都是高位在前。"
    ),
    "Cut each fingerprint into K blocks, a column each: texts within K - 1 bits share one. For records only.": (
        "把指纹切成 K 块，每块一列：相差不超过 K - 1 位的文本至少有一块相同。只用于记录。"
    ),
    "Each SOURCE is one page of HTML. Names with .html, .htm or .xhtml are pages without this option.": (
        "每个 SOURCE 是一个 HTML 网页。以 .html、.htm、.xhtml 结尾的不必给这个选项。"
    ),
    "For pages: a JSON object for each page and scheme.": "用于网页：每个网页、每个方案一个 JSON 对象。",
    "Show the features of a text.": "显示一篇文本的特征。",
    "Each has its weight, its count and its hash. TEXT is the text itself, or `-` for stdin in UTF-8. The features "
    "are in the order of their first occurrence.": (
        "每个特征带有权重、次数和哈希。TEXT 就是文本，或 `-`（UTF-8 的标准输入）。特征按第一次出现的顺序排列。"
    ),
    "A JSON list of objects.": "由对象组成的 JSON 列表。",
    "Count features, so that rare ones can weigh more.": "统计特征，使罕见的特征更重。",
    "The model has in how many documents of the sources each feature occurs. Only the scheme's features matter, "
    "not its weights and width. With --merge and no SOURCE, models are merged.": (
        "模型记下每个特征在输入的多少篇文档里出现。只与方案的特征有关，与权重和位数无关。给了 --merge 而没有 SOURCE "
        "时，把模型合并。"
    ),
    "The file for the model.": "写模型的文件。",
    "A model of other documents to merge into the result; may be given several times.": (
        "要并入结果的另一批文档的模型；可以给几次。"
    ),
    "Forecast what a run will take: method, memory, seconds and recall.": "预测一次运行：方法、内存、时间和召回率。",
    "It is for the sources, or for a collection of N documents of which they are a part drawn at random. Sources are "
    "read once: what the search will meet is counted on a sample of their texts, and the steps are timed on some of "
    "them. Without SOURCE it is for N bare fingerprints under --max-distance. A warning on stderr names a setting that "
    "would fit.": (
        "对输入作预测，或对 N 篇文档作预测，输入是其中随机的一部分。输入只读一遍：搜索会遇到多少对由抽样文本数出，"
        "各步的时间在其中一些文本上实测。没有 SOURCE 时，是对 --max-distance 之下的 N 个指纹作预测。"
        "标准错误上的警告说明怎样的设置才合适。"
    ),
    "How many documents, such as 50m, at most 2^32 - 2; SOURCE is a part of them, drawn at random.": (
        "文档的篇数，最多 2^32 - 2；SOURCE 是其中随机的一部分。"
    ),
    "Width of the default scheme: 64, 128 or 256. Not together with --scheme.": (
        "默认方案的位数：64、128 或 256。不能与 --scheme 同时给。"
    ),
    "The plan as one JSON object.": "把预测写成一个 JSON 对象。",
    "List the schemes, or show those that are named.": "列出所有方案，或显示指名的方案。",
    "Of a scheme that is named, its source, features, weights, hash, width, sign, digest and options are shown.": (
        "对指名的方案，显示来源、特征、权重、哈希、位数、符号、摘要和选项。"
    ),
    "Print the script for completion in a shell.": "打印 shell 补全用的脚本。",
    "The shell then completes commands, options, schemes, keep orders and names of files. bash must be of version "
    "4.4 or newer.": "有了它，shell 就能补全命令、选项、方案、保留顺序和文件名。bash 要 4.4 以上。",
    "Show this field of both records beside the texts, such as the answer. It may be given more than once.": (
        "在正文旁边显示两条记录的这个字段，例如答案。可以给多次。"
    ),
    "In tables of results in CSV and TSV, put an apostrophe before a text that a spreadsheet would take for a formula."
    " Kept, dropped and annotated records stay as they are.": (
        "在 CSV 和 TSV 的结果表里，电子表格会当成公式的文本前加一个撇号。保留、丢弃和加注的记录照原样。"
    ),
    "Add the kept documents to a collection of MongoDB that is there; those whose _id it has stay as they are.": (
        "把保留的文档加进已有的 MongoDB 集合；其中 _id 已有的文档保持原样。"
    ),
    "FIELD or FIELD:NAME, or a list of them; @text is the text as it was compared, @original as it was read,"
    " @fingerprint its fingerprint": (
        "FIELD 或 FIELD:NAME，或它们的列表；@text 是比较时的正文，@original 是读到的正文，@fingerprint 是它的指纹"
    ),
    "List the runs that wrote to a database of MongoDB, and undo one.": (
        "列出写过某个 MongoDB 数据库的运行，或撤销其中一次。"
    ),
    "List the runs that wrote to the database of URI.": "列出写过 URI 所指数据库的运行。",
    "Read only those documents of a collection of MongoDB that a query finds.": (
        "只读 MongoDB 集合中查询条件找到的文档。"
    ),
    "Replace a collection of MongoDB that is there by the kept documents, once all are written; or a folder that has"
    " only files that the run writes.": (
        "保留的文档全部写好之后，用它们替换已有的 MongoDB 集合；或替换只有这次会写的文件的文件夹。"
    ),
    "Write the kept records to numbered files of at most this many records, or bytes before compression, in a folder:"
    " part-00000.jsonl and so on.": (
        "把保留的记录写进文件夹里编号的文件：part-00000.jsonl 等等。每个最多这么多条记录，或压缩前这么多字节。"
    ),
    "a number of records, or a size such as 256MiB or 1GB": "记录数，或大小，如 256MiB 或 1GB",
    "Take away what RUN wrote to the database of URI.": "撤去 RUN 写进 URI 所指数据库的内容。",
    "That is its marks, its decisions, and the documents that it added to a target.": (
        "即它的标记、它的取舍，以及它加进目标集合的文档。"
    ),
    "The latest comes first. Each has its id, state, source, counts and what it wrote.": (
        "最近的在最前面。每次运行列出编号、状态、来源、计数和写了什么。"
    ),
    "Write only these fields of the kept records, under new names where they are given; to MongoDB _id is always"
    " written.": "只写出保留的记录的这些字段，可以改名；写进 MongoDB 时 _id 总会写出。",
    "Write the marks; without it the run says what it would write.": "写入标记；不给它时只说明会写什么。",
    "Write what was decided about each document of a collection of MongoDB into this field of the document; "
    "only with the setting apply.": ("把每个文档的取舍写进 MongoDB 集合里该文档的这个字段；须同时给 apply。"),
    "`simsieve dedup mongodb://host/database.collection` makes such runs.": (
        "`simsieve dedup mongodb://host/database.collection` 就是这样的运行。"
    ),
    "a field name without dots": "不带点的字段名",
    "a field name; dots reach into documents": "字段名；点号进入子文档",
    "an object of extended JSON": "扩展 JSON 的一个对象",
    "The memory that a run may hold; by default half of what is free. A run that needs more has its columns as files."
    " Never changes a result.": "一次运行可用的内存；默认是空闲内存的一半。需要更多时，各列存成文件。不影响结果。",
    "a size such as 8GiB, 512MiB or 2GB": "大小，如 8GiB、512MiB 或 2GB",
    "Keep the columns of the run in this folder, and leave it there. By default a hidden folder beside the output is"
    " used where it is needed, and removed.": (
        "把这次运行的各列存在这个文件夹里，结束后保留。默认在需要时用输出旁边的隐藏文件夹，用完删除。"
    ),
    "the run directory of an earlier run on files, or the id of a run that wrote to MongoDB": (
        "之前对文件的某次运行的运行目录，或写过 MongoDB 的某次运行的编号"
    ),
    "a folder that is new or empty, or holds a run": "新的或空的文件夹，或存有一次运行的文件夹",
    "Go on with a run that was cut off, from the run directory.": "从运行文件夹接着做中断了的运行。",
}
