"""Messages on runs that follow others, on guards and on jobs on Spark in Chinese, by templates; see `bodies`."""

RUNS = {
    # Guards and experiments.
    "same {value} is not known: allowed is {word}": "没有 same {value}：可取 {word}",
    "same {value} is of texts, and a scheme takes {what}: leave one of them out": (
        "same {value} 用于正文，而方案读的是 {what}：去掉其中一个"
    ),
    "of {read} documents {found} have at least {least} characters and are no copies of one another, and the experiments"
    " need at least {needed}: give more documents, or a lower min_characters": (
        "{read} 篇中只有 {found} 篇不少于 {least} 字且互不重复，实验至少要 {needed} 篇：请给更多文档，"
        "或更小的 min_characters"
    ),
    "datasketch is measured for comparison, and it is not installed: pip install datasketch, or leave rivals out": (
        "比较时要测 datasketch，但没有安装：pip install datasketch，或不给 rivals"
    ),
    "of {count} documents looked at, {decided} have one feature with more than half of the weight under {spec}, such as"
    " {name} with {feature}": (
        "看了 {count} 篇，其中 {decided} 篇在 {spec} 下有一个特征占权重的一半以上，如 {name} 的 {feature}"
    ),
    "of {count} pages looked at, {small} have a main text of less than a tenth of what a reader sees, such as {name}": (
        "看了 {count} 个网页，其中 {small} 个的正文不到可见文字的十分之一，如 {name}"
    ),
    "it may not be what they are about": "正文可能找错了",
    "--extract text compares all that a reader sees": "--extract text 比较全部可见文字",
    "{pages} of the first {count} texts are pages of HTML, and their markup is compared too": (
        "前 {count} 个文本中有 {pages} 个是 HTML 网页，标记也参与比较"
    ),
    '--extract main compares their main text, --extract text all that a reader sees (in Python extract="main")': (
        '--extract main 比较网页的正文，--extract text 比较全部可见文字（Python 中用 extract="main"）'
    ),
    "it alone decides their fingerprints": "指纹由它一个决定",
    "weights=once lets every feature count the same": "用 weights=once 让各特征权重相同",
    "a scheme with weights=once, such as words64, lets every feature count the same": (
        "换用带 weights=once 的方案（如 words64）让各特征权重相同"
    ),
    # Runs since others.
    "since_run {run} and against are both given: leave one out": "since_run {run} 与 against 不能同时给：去掉一个",
    "since_run and against are both given: the run names the old documents; give one of them": (
        "since_run 与 against 不能同时给：旧文档由那次运行决定；给其中一个"
    ),
    "since_run is for dedup: leave it out of a search for pairs, or give old documents by `against`": (
        "since_run 用于 dedup：找对时去掉它，或用 `against` 指定旧文档"
    ),
    "{path}: the earlier run read the first {limit} records, and nothing is known of the others; run on all"
    " of them": "{path}：之前的运行只读了前 {limit} 条记录，其余的没有读过；请对全部输入运行",
    "since_run {run} and a saved run are both given: name a run directory by run_dir instead": (
        "since_run {run} 与保存运行不能同时给：请用 run_dir 指定运行目录"
    ),
    "run_dir and since_run are both {run}: give the new run a directory of its own": (
        "run_dir 与 since_run 都是 {run}：请给新的运行另一个目录"
    ),
    "{path}: {name} was {was} in the earlier run, and is {now} now; give the same": (
        "{path}：之前的运行里 {name} 是 {was}，现在是 {now}；请给同样的值"
    ),
    "{path}: the earlier run read {source}, which cannot be opened again; since_run is for files": (
        "{path}：之前的运行读的是 {source}，不能再打开；since_run 用于文件"
    ),
    "since_run {run}: there is no such run in {places}: {hint}": "since_run {run}：{places} 里没有这次运行：{hint}",
    "run {run} has written no target, so what it has kept is not known: give the setting `query` for the new documents,"
    " and the old ones by `against`": (
        "运行 {run} 没有写过目标集合，不知道它保留了什么：用 `query` 指定新文档，用 `against` 指定旧文档"
    ),
    "run {run} is in the state {state}: give one that is complete, or go on with it first": (
        "运行 {run} 的状态是 {state}：请给已完成的运行，或先把它做完"
    ),
    "run {run} has read {uri}, and the source is {other}: give that": (
        "运行 {run} 读的是 {uri}，而输入是 {other}：请给那个集合"
    ),
    "run {run} was made by the schemes {schemes} (digest {digest}), and the digest is {now} now: give the same"
    " schemes": ("运行 {run} 用的方案是 {schemes}（摘要 {digest}），现在的摘要是 {now}：请给同样的方案"),
    "run {run} adds to {uri} and is not complete, so the old documents are not known: undo it, or go on with it by the"
    " setting `resume` and its run directory": (
        "运行 {run} 正在向 {uri} 添加，还没有完成，所以旧文档不确定：请撤销它，或用 `resume` 和它的运行目录继续"
    ),
    "new documents are added to what run {run} has kept: give {uri}, and `append`": (
        "新文档要加到运行 {run} 保留的文档中：请给 {uri} 和 `append`"
    ),
    "{name} has what run {run} has kept, which would be lost: give `append` in place of `replace`": (
        "{name} 里有运行 {run} 保留的文档，替换会丢失：请用 `append` 代替 `replace`"
    ),
    "{name} has what run {run} has kept: give `append`": "{name} 里有运行 {run} 保留的文档：请给 `append`",
    "run {run} does not say which document it has read last: run again on the whole collection": (
        "运行 {run} 没有记下最后读到的文档：请对整个集合重新运行"
    ),
    "{name} is a {kind} without an index of _id, so the documents that came in after a run are not known: name the"
    " field that orders them by since_field in every run": (
        "{name} 是 {kind}，没有 _id 的索引，不知道哪些文档是后来加入的：请在每次运行都用 since_field 给排列先后的字段"
    ),
    "{path}: {name} was {was} when the run began, and is {now} now; go on with what it was, or name another run"
    " directory": "{path}：运行开始时 {name} 是 {was}，现在是 {now}；请照原来的继续，或另给运行目录",
    "{uri}: the document {id} has in field {name} {value}, or give another field": (
        "{uri}：文档 {id} 的字段 {name} 里是 {value}，或另给一个字段"
    ),
    # Jobs on Spark.
    "{uri}: --format parquet is not for a collection, whose documents are written as JSON lines; leave it out": (
        "{uri}：集合的文档写成 JSON lines，不能用 --format parquet；请去掉它"
    ),
    "--query is for a collection of MongoDB; leave it out, or name the URI of a collection as IN": (
        "--query 只用于 MongoDB 的集合；请去掉它，或把集合的 URI 作为 IN"
    ),
    "Spark does not start ({why}): install Java 17 or later, and set JAVA_HOME to it": (
        "Spark 无法启动（{why}）：请安装 Java 17 或更新的版本，并把 JAVA_HOME 设为它"
    ),
    "an output is there already; name a folder that does not exist": "输出已经存在；请给一个还没有的文件夹",
    "{one} and {other} are one folder, or one is in the other; name two folders": (
        "{one} 与 {other} 是同一个文件夹，或一个在另一个里面；请给两个文件夹"
    ),
    "{name}: its name does not give its form: say --format {forms}": "{name}：从名字看不出格式：请给 --format {forms}",
    "column {name} does not order the rows: {why} of its numbers; name a column of numbers that differ with order": (
        "列 {name} 不能给行排序：它的数中 {why}；请用 order 指定各不相同的整数列"
    ),
    "{what} {name} is no name of a column: give one of {names}": "{what} {name} 不是列名：请给 {names} 之一",
    "{what} {name} is a column of {kind}, and {needed}": "{what} {name} 是 {kind} 的列，而 {needed}",
    "{count} rows are in large groups of similar texts, or there are fewer than 8,192 rows, and all"
    " their pairs would be tested on one machine: decide with simsieve.spark.dedup, or find pairs with"
    " simsieve.find_pairs": (
        "{count} 行在很大的相似组里，或总共不到 8,192 行，它们的对都要在一台机器上核对："
        "请用 simsieve.spark.dedup 取舍，"
        "或用 simsieve.find_pairs 找对"
    ),
    "max_lost {value} reads the texts of pairs, and a Spark job compares fingerprints alone under max_distance: give"
    " similarity, or use simsieve.dedup on one machine": (
        "max_lost {value} 要读各对的正文，而 Spark 任务在 max_distance 下只比较指纹：请给 similarity，"
        "或在一台机器上用 simsieve.dedup"
    ),
    "there is no text to fit a model on": "没有可用来统计模型的文本",
    "setting {name} is of no use to a fit on Spark: it takes {names}": (
        "设置 {name} 对 Spark 上的统计没有用：可用 {names}"
    ),
    "setting {name} is not one of a Spark job: it takes {names}; use simsieve.dedup on one machine for the others": (
        "Spark 任务没有设置 {name}：可用 {names}；其他设置请在一台机器上用 simsieve.dedup"
    ),
    "{path}: Spark has no file system {name}: name a path of one that it has, or start the job with the package of this"
    " one (--packages)": (
        "{path}：Spark 没有文件系统 {name}：请给它有的文件系统里的路径，或启动任务时用 --packages 加上"
    ),
    "{count} rows with {bytes} bytes of text are in large groups of similar texts, and the driver takes {most} bytes at"
    " most: decide on these rows on one machine, or ask for a higher similarity": (
        "{count} 行共 {bytes} 字节正文在很大的相似组里，驱动程序最多收 {most} 字节：请在一台机器上处理这些行，"
        "或提高相似度"
    ),
    "{count} pairs are near, and the driver decides on {most} at most: ask for a higher similarity": (
        "相似的对有 {count} 个，驱动程序最多处理 {most} 个：请提高相似度"
    ),
    "simsieve {version} sent the job, and simsieve {other} is on this executor: install one version on all machines": (
        "发出任务的是 simsieve {version}，这台机器上是 simsieve {other}：请在所有机器上装同一版本"
    ),
    "scheme {name} is not sent to other machines: a job takes built-in schemes ({names})": (
        "方案 {name} 不能发给其他机器：任务只用内置的方案（{names}）"
    ),
}
