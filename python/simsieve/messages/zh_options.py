"""Messages of the core on schemes, models, saved runs and rows in Chinese, by templates; see `bodies`."""

OPTIONS = {
    "{name} is a run directory, and no source: give since_run for the documents that its run kept, or name its"
    " sources": ("{name} 是运行目录，不是输入：要它那次运行保留的文档请用 since_run，或写出它的输入"),
    # Options of schemes.
    "{key} is {listed} or {last}": "{key} 可取 {listed} 或 {last}",
    "{key} are {listed} or {last}": "{key} 可取 {listed} 或 {last}",
    "{key} is none": "{key} 只能是 none",
    "{name} is a whole number from 0 (the whole path) to {high}": "{name} 是 0（整条路径）到 {high} 的整数",
    "{name} is a number above 0 and at most 1": "{name} 是大于 0、不超过 1 的数",
    "{name} is none, a weight above 0 and at most 4095, or a percentage P% or percentile pP above 0 and at most 100": (
        "{name} 是 none、大于 0 且不超过 4095 的权重，或大于 0 且不超过 100 的百分比 P% 或百分位 pP"
    ),
    "{name} is a list such as n+v": "{name} 是列表，例如 n+v",
    "{name} is the name of a file": "{name} 是文件名",
    "{name} is the name of a file, or zh": "{name} 是文件名，或 zh",
    "{name} is the file that `simsieve fit` wrote, or a digest": "{name} 是 `simsieve fit` 写的文件，或摘要",
    "{name} is a regular expression, with % as %25, a comma as %2C and @ as %40": (
        "{name} 是正则表达式，其中 % 写成 %25，逗号写成 %2C，@ 写成 %40"
    ),
    "its features are the page's elements": "它的特征是网页的元素",
    "its texts are fingerprints": "它的正文是指纹",
    "its documents are lists of tokens": "它的文档是词的列表",
    "did you mean {meant}? its options are {names}": "是不是 {meant}？选项有 {names}",
    "did you mean {meant}? its option is {names}": "是不是 {meant}？选项有 {names}",
    "its options are {names}": "选项有 {names}",
    "its option is {names}": "选项有 {names}",
    "options are key=value, here {sample}": "选项写成 key=value，例如 {sample}",
    "it takes texts as another program does, without a fold": "它照另一个程序的做法读正文，没有 fold",
    "{key} is given twice": "{key} 给了两次",
    "{key} is given beside its other form": "{key} 与它的另一种写法不能同时给",
    "weight=once has no decay": "weight=once 没有 decay",
    "leave one of the two out": "去掉其中一个",
    "weights={weights} take no model": "weights={weights} 不用模型",
    "leave it out, or give weights=idf, log-idf or tf-idf": "去掉它，或给 weights=idf、log-idf 或 tf-idf",
    "{value} is no scheme of version {version}": "{value} 不是版本 {version} 的方案",
    "leave it out, or take a scheme on texts such as chars128": "去掉它，或用读正文的方案，例如 chars128",
    "scheme {name} is not used with extract={extract}": "方案 {name} 不能与 extract={extract} 一起用",
    "mode={mode} and pos={tags} do not go together: parts of speech are those of mode exact": (
        "mode={mode} 与 pos={tags} 不能同时用：词性只有 mode=exact 才有"
    ),
    "leave out one of the two": "去掉其中一个",
    "hmm=off says nothing in mode=full, which has words of the dictionary only": (
        "mode=full 只用词典里的词，hmm=off 在那里没有意义"
    ),
    "leave it out": "去掉它",
    "pos={tags}: weights by {what} take no factors": "pos={tags}：{what} 的权重没有系数",
    "leave them out": "去掉它们",
    "a word that occurs {count} times weighs {weight}, and weights by parts of speech are below 65,536": (
        "出现 {count} 次的词权重为 {weight}，而按词性的权重要小于 65,536"
    ),
    "take weights=log, or smaller factors": "请用 weights=log，或更小的系数",
    "scheme {name}: the paths of the page's elements have more than {count} MiB in all": (
        "方案 {name}：网页元素的路径总共超过 {count} MiB"
    ),
    "give fewer levels, or no classes": "请减少 levels，或不用 classes",
    "the normalised text has more than 1 GiB": "规范化文本超过 1 GiB",
    "split it": "请拆分",
    # Patterns.
    "the pattern has {count} bytes, and at most {most} are allowed": "正则表达式有 {count} 字节，最多 {most}",
    "the pattern {pattern} takes more than {count} MiB compiled": "正则表达式 {pattern} 编译后超过 {count} MiB",
    "give smaller counts or classes, such as [0-9] in place of \\d": ("请用更小的次数或字符类，例如用 [0-9] 代替 \\d"),
    "the % at byte {at} of {text} escapes nothing": "{text} 第 {at} 字节的 % 没有转义任何东西",
    "in a spec % is written %25, a comma %2C and @ %40": "方案里 % 写成 %25，逗号写成 %2C，@ 写成 %40",
    "the escapes of {text} are no UTF-8": "{text} 的转义不是 UTF-8",
    "write each byte of a character as %XX": "请把字符的每个字节写成 %XX",
    "the scheme names {key} already": "方案已经有 {key}",
    # Features that a function gives.
    "the hash {hash} of feature {feature} is wider than {bits} bits: give hashes below {most}, or a greater width": (
        "特征 {feature} 的哈希 {hash} 超过 {bits} 位：请给小于 {most} 的哈希，或更大的位数"
    ),
    "measure {value} is unknown": "没有度量 {value}",
    "there are cosine, jaccard and containment": "有的是 cosine、jaccard 和 containment",
    # Models.
    "model {path} has 0 documents": "模型 {path} 里没有文档",
    "fit it on texts that have features": "请用有特征的文本统计",
    "a model of {one} cannot be merged with one of {other}": "{one} 的模型不能与 {other} 的模型合并",
    "fit both with one scheme": "请用同一个方案统计两者",
    "no model can be fitted with scheme {name}: its weights are its own": ("方案 {name} 不能统计模型：它有自己的权重"),
    "take a chars, words, keywords or esimhash scheme": "请用 chars、words、keywords 或 esimhash 方案",
    "scheme {name} names the model {model} already": "方案 {name} 已经指明模型 {model}",
    "scheme {name}: weights={weights} are not used with a model": "方案 {name}：weights={weights} 不用模型",
    "there are once, tf and log, which become idf, tf-idf and log-idf": (
        "可用的是 once、tf 和 log，它们变成 idf、tf-idf 和 log-idf"
    ),
    "scheme {name} takes no model": "方案 {name} 不用模型",
    "give weights=idf, log-idf or tf-idf": "请给 weights=idf、log-idf 或 tf-idf",
    "model {path} is of {one}, and scheme {name} has {other}": "模型 {path} 是 {one} 的，而方案 {name} 是 {other}",
    "scheme {name} asks for model {digest}, and {other} was given": "方案 {name} 要模型 {digest}，给的却是 {other}",
    "give the file of the one it asks for": "请给它要的那个模型的文件",
    "is a model of digest {digest}, but its header has digest {other}": (
        "是摘要为 {digest} 的模型，而文件头里的摘要是 {other}"
    ),
    "fit it again": "请重新统计",
    # Files that the core wrote, and runs that were saved.
    "is a model, but {what} cannot be read": "是模型，但 {what} 读不出",
    "is a saved run, but {what} cannot be read": "是存下的运行，但 {what} 读不出",
    "is a model of an earlier version, which this simsieve does not read": "是早先版本的模型，这个 simsieve 不能读",
    "is a saved run of an earlier version, which this simsieve does not read": (
        "是早先版本存下的运行，这个 simsieve 不能读"
    ),
    "is a model that is cut off or damaged ({why})": "模型被截断或损坏（{why}）",
    "is a saved run that is cut off or damaged ({why})": "存下的运行被截断或损坏（{why}）",
    "the model cannot be read: {why}": "模型读不了：{why}",
    "the saved run may not be read": "没有权限读存下的运行",
    "is not a file": "不是文件",
    "{path}: its fingerprints are of scheme {name} (digest {digest}), and this scheme is {other} (digest {second})": (
        "{path}：其中的指纹是方案 {name} 的（摘要 {digest}），而这个方案是 {other}（摘要 {second}）"
    ),
    "{path}: was saved by a version of simsieve that searches otherwise (recipe digest {digest}, here {other})": (
        "{path}：存下它的 simsieve 版本搜索方法不同（配方摘要 {digest}，这里是 {other}）"
    ),
    "{path} was made of {count} sources, and {given} are given": "{path} 由 {count} 个输入得到，而给了 {given} 个",
    "the source {name} has a name that is not UTF-8, so this run cannot be saved": (
        "输入 {name} 的名字不是 UTF-8，所以这次运行不能存下"
    ),
    "texts in memory cannot be opened again, so this run cannot be saved": (
        "内存中的文本不能再打开，所以这次运行不能存下"
    ),
    "write them to a file of JSON lines and name that": "请先写成 JSON lines 文件，再给那个文件",
    "{name} has its rows in columns, and a saved run finds lines again, so this run cannot be saved": (
        "{name} 的行按列存放，而存下的运行要能再找到行，所以这次运行不能存下"
    ),
    "write the rows to a file of JSON lines and name that": "请把行写成 JSON lines 文件，再给那个文件",
    "{name} is a folder, and a saved run finds lines again, so this run cannot be saved": (
        "{name} 是文件夹，而存下的运行要能再找到行，所以这次运行不能存下"
    ),
    "put the texts of its files into a file of JSON lines and name that": (
        "请把其中文件的正文写成 JSON lines 文件，再给那个文件"
    ),
    # Thresholds that a run cannot answer.
    "{asked} cannot be answered by a run at {made}, which has not looked for all that is near by it: give {low}"
    " to {high}, or run on the sources again": (
        "{asked} 不能由 {made} 的运行回答，那次没有去找全：请给 {low} 到 {high}，或用原来的输入重新运行"
    ),
    "{asked} cannot be answered by a run at {made}, which has not looked for all that is near by it: give a"
    " {name} from {low} to {high} at max_ratio {ratio}, or run on the sources again": (
        "{asked} 不能由 {made} 的运行回答，那次没有去找全：请给 {low} 到 {high} 的 {name}，max_ratio 为 {ratio}，"
        "或用原来的输入重新运行"
    ),
    "{asked} cannot be answered by a run at {made}, which has not looked for all that is near by it: give a"
    " {name} from {low} to {high}, or run on the sources again": (
        "{asked} 不能由 {made} 的运行回答，那次没有去找全：请给 {low} 到 {high} 的 {name}，或用原来的输入重新运行"
    ),
    "{what} is for one scheme, and there are {count}": "{what} 只能用一个方案，而这里有 {count} 个",
    # Searches and their limits.
    "memory {memory} is too little to search {rows} rows: give memory {least} or more, or 0 for what is sensible": (
        "内存 {memory} 不够搜索 {rows} 行：请给 {least} 或更多，0 为自动"
    ),
    "fingerprints of {one} and of {other} bits cannot be compared: give two collections of one width": (
        "{one} 位与 {other} 位的指纹不能比较：请给位数相同的两组"
    ),
    "{count} pairs are within distance {distance}, more than max_pairs = {most}: raise it, search a smaller distance,"
    " or use dedup, which needs no pairs": (
        "距离 {distance} 以内有 {count} 对，多于 max_pairs = {most}：请提高它，或用更小的距离，或用不需要列出对的 dedup"
    ),
    "{count} rows: at most {most} are allowed in one search": "{count} 行：一次搜索最多 {most} 行",
    "{count} records are more than 2^32 - 2": "{count} 条记录超过了 2^32 - 2",
    "split the source": "请拆分输入",
    "allowed: 0 (all cores) to {most}": "可取 0（全部核）到 {most}",
    "cannot start {count} threads: {why}": "启动不了 {count} 个线程：{why}",
    "ask for fewer": "请减少",
    # Verdicts.
    "a verdict keeps the record {one} before {other}, which is an old one, and old ones are never dropped": (
        "有一个判定要留 {one} 而不留 {other}，而后者是旧文档，旧文档从不丢弃"
    ),
    "say same or different of them": "请判为 same 或 different",
    "a pair names the id {id}, and several records have it": "有一对用到 id {id}，而有几条记录都是这个 id",
    "two verdicts on one pair contradict one another, or a record has a verdict on itself": (
        "同一对有两个互相矛盾的判定，或一条记录与自己有判定"
    ),
    "verdicts on an order contradict one another in a cycle": "关于次序的判定互相矛盾，成了环",
    "fix the verdicts": "请修正判定",
    # Earlier runs.
    "{folder} holds a run that is not finished": "{folder} 里是没有完成的运行",
    "go on with it by the setting `resume` first": "请先用设置 `resume` 做完它",
    "{folder} holds decisions at another threshold that are not finished": "{folder} 里有另一个阈值下没有完成的取舍",
    "finish them, or remove it": "请先做完，或删去它",
    "has changed since the run in {folder} read it": "在 {folder} 的运行读过之后变了",
    "run on all sources again": "请对全部输入重新运行",
    "the earlier run and this one have other fields, numbers or negations that must be equal": (
        "之前的运行和这次要求相等的字段、数字或否定词不同"
    ),
    "give the same": "请给同样的",
    "changed while it was read ({why})": "在读的时候变了（{why}）",
    "run again on a file at rest": "请等文件不再变化后重新运行",
    "the search keys of these documents are gone, because a search of them was stopped": (
        "这些文档的搜索键已经没有了，因为上次搜索被中断"
    ),
    "load them again": "请重新载入",
    "the text of a pair is not what was encoded ({why})": "一对中的文本与编码时不同（{why}）",
    "run again on a source that does not change": "请对不变的输入重新运行",
    "the search was frozen for a scheme of digest {digest}, and scheme {name} has the digest {other} on this machine": (
        "搜索是为摘要 {digest} 的方案准备的，而这台机器上方案 {name} 的摘要是 {other}"
    ),
    "install one version of simsieve on all machines": "请在所有机器上装同一版本的 simsieve",
    # Reading and writing.
    "the record is beyond the limit and was not kept whole, so it cannot be written": (
        "这条记录超过上限，没有整条保留，所以写不出"
    ),
    "raise the limit with max_record_bytes": "请用 max_record_bytes 提高上限",
    "the copy that was made of it is damaged ({why})": "为它做的副本损坏了（{why}）",
    "check the disk of the temporary folder and of the run directory, and run again": (
        "请检查临时文件夹和运行目录所在的磁盘，再重新运行"
    ),
    "grant the right to enter its folder": "请给予进入它的文件夹的权限",
    "is no JSON list: its first byte is {byte}": "不是 JSON 列表：第一个字节是 {byte}",
    "a list in UTF-16 is read where the setting `encoding` is auto": "UTF-16 的列表在 `encoding` 为 auto 时能读",
    "features {rule} are unknown to this version of simsieve": "这个版本的 simsieve 不认识特征 {rule}",
    "is a folder with something in it": "是有内容的文件夹",
    "name a new folder or an empty one": "请给新的或空的文件夹",
    "cannot be a folder for the kept files: {why}": "不能放留下的文件：{why}",
    "name a new folder": "请给新的文件夹",
    "{one} and {other} would have the same name in {folder}": "{one} 与 {other} 在 {folder} 里会同名",
    "write the folders in two runs": "请分两次运行写出",
    "is on another file system than {folder}, so there can be no hard link": (
        "与 {folder} 不在同一个文件系统，不能做硬链接"
    ),
    "leave `link` out to copy": "去掉 `link` 即为复制",
    "{name} cannot be put there: {why}": "{name} 不能放到那里：{why}",
    "the path {path} has a line break, so it cannot be a line of {sink}": (
        "路径 {path} 里有换行，不能成为 {sink} 的一行"
    ),
    "the text at position {at} has a line break, so it cannot be a line of {sink}": (
        "第 {at} 个文本里有换行，不能成为 {sink} 的一行"
    ),
    "write to a .jsonl file": "请写到 .jsonl 文件",
    "standard input (-) is named twice as a source": "标准输入（-）给了两次",
    "has a header of {bytes} bytes, and the limit of a record is {most}": "表头有 {bytes} 字节，而一条记录最多 {most}",
    "raise max_record_bytes": "请提高 max_record_bytes",
    "the server sent what is no document ({why})": "服务器发来的不是文档（{why}）",
    "check the server": "请检查服务器",
    "is no JSON list: it is empty": "不是 JSON 列表：它是空的",
    "is no JSON list: it begins with {sign} and not with [": "不是 JSON 列表：开头是 {sign} 而不是 [",
    "is a JSON list of more than {most} bytes": "是超过 {most} 字节的 JSON 列表",
    "convert it to JSON lines, for example with {command}": "请转成 JSON lines，例如用 {command}",
    "format {value} is not known": "没有格式 {value}",
    "allowed are jsonl (or ndjson), json, txt (or text), csv and tsv": (
        "可取 jsonl（即 ndjson）、json、txt（即 text）、csv 和 tsv"
    ),
    "a JSON list is read in UTF-8 and UTF-16, and the setting `encoding` is {name}": (
        "JSON 列表按 UTF-8 和 UTF-16 读，而 `encoding` 是 {name}"
    ),
    "leave that out, or convert the file": "去掉它，或转换文件",
}
"""By the English template."""
