"""Messages on collections of MongoDB in Chinese, by templates; see `bodies`."""

MONGO = {
    "append and replace are both given: give one of them": "append 与 replace 不能同时给：给其中一个",
    "fields {value} is no list of fields: give names, such as {example}": (
        "fields {value} 不是字段的列表：请给名字，例如 {example}"
    ),
    "fields {value} has no name, one twice, or {name}, where the run is named": (
        "fields {value} 没有名字，或有重复，或有 {name}（那里写运行的名字）"
    ),
    "fields {value} is not allowed: give FIELD or FIELD:NAME, NAME without dots": (
        "fields 不能是 {value}：请给 FIELD 或 FIELD:NAME，NAME 不含点"
    ),
    "besides fields of the documents there are {names}": "除了文档的字段，还有 {names}",
    "mark {name} is not allowed: give the name of a field, without dots and dollars": (
        "mark 不能是 {name}：请给字段名，不含点和美元符号"
    ),
    "mark {name} is a field that the run reads: name a field that the documents do not have": (
        "mark {name} 是这次运行要读的字段：请给文档没有的字段"
    ),
    "the setting `apply` writes marks, and no field for them is given: give the setting `mark`": (
        "`apply` 写入标记，却没有给标记的字段：请给 `mark`"
    ),
    "the URI names no {what}: give {example}": "URI 没有 {what}：请给 {example}",
    "query {text} is no object: give one such as {example}": "query {text} 不是对象：请给例如 {example}",
    "query {text} is not extended JSON ({why}): give an object such as {example}": (
        "query {text} 不是扩展 JSON（{why}）：请给例如 {example} 的对象"
    ),
    "the URI of MongoDB is not valid ({why}): give {example}": "MongoDB 的 URI 不对（{why}）：请给 {example}",
    "{why}; fix the options of the URI": "{why}；请修正 URI 的选项",
    "the setting `fields` is for kept records: give an output for them, without annotate": (
        "`fields` 用于保留的记录：请给它们一个输出，不要 annotate"
    ),
    "{last} has {name}, and the first records have no such field: they have {names}": (
        "{last} 里有 {name}，而开头的记录没有这个字段：它们有 {names}"
    ),
    "{last} has {name}, and the first records have no such field: did you mean {meant}? they have {names}": (
        "{last} 里有 {name}，而开头的记录没有这个字段：是不是 {meant}？它们有 {names}"
    ),
    "the setting `{name}` is for kept documents in MongoDB: give a URI as their output": (
        "`{name}` 用于写入 MongoDB 的文档：请给 URI 作输出"
    ),
    "the setting `mark` is for documents of MongoDB: give the URI of a collection as source": (
        "`mark` 用于 MongoDB 的文档：请给集合的 URI 作来源"
    ),
    "only documents of a collection are kept in MongoDB: give a file": "只有集合里的文档才存进 MongoDB：请给文件",
    "only documents of a collection are kept there, and the source is none": "那里只存集合里的文档，而来源不是集合",
    "give a file": "请给文件",
    "annotated records go to a file: give one, or write decisions or marks to MongoDB": (
        "加注的记录要写进文件：请给文件，或把取舍或标记写进 MongoDB"
    ),
    "{error}; nor could all that was written be taken back ({left}): undo run {run} when the server answers": (
        "{error}；已写的也没能全部撤回（{left}）：等服务器恢复后请撤销运行 {run}"
    ),
    "the output {name} is no JSON lines, and documents of MongoDB have no columns: give a name in .jsonl, or the URI of"
    " another collection": (
        "输出 {name} 不是 JSON lines，而 MongoDB 的文档没有列：请用 .jsonl 的名字，或另一个集合的 URI"
    ),
    "the document {id} is gone or has changed since it was read": "文档 {id} 读后没有了，或有改动",
    "run again": "请再运行一次",
    "documents of a time-series collection have no unique _id, so they are not copied": (
        "时序集合的文档没有唯一的 _id，所以不复制"
    ),
    "give a file for the decisions": "取舍请写进文件",
    "{name} is the source too: give another collection, or mark its documents with `mark`": (
        "{name} 就是来源：请给另一个集合，或用 `mark` 标记它的文档"
    ),
    "{name} is a {kind}, which takes no documents": "{name} 是 {kind}，不能存文档",
    "{name} is a {kind}, which takes no decisions": "{name} 是 {kind}，不能存取舍",
    "{name} is a {kind}, whose documents cannot be marked": "{name} 是 {kind}，它的文档不能标记",
    "name another collection": "请给另一个集合",
    "give another name": "请换个名字",
    "{name} is there already: give `append` to add to it, `replace`, or another name": (
        "{name} 已经有了：请用 append 添加，或用 replace ，或换个名字"
    ),
    "marks go to the documents of a collection of MongoDB, and the source is none: leave mark out": (
        "标记写进 MongoDB 集合的文档，而来源不是集合：去掉 mark"
    ),
    "there is no run {run}: {why}": "没有运行 {run}：{why}",
    "there is no such collection: {why}": "没有这个集合：{why}",
    "check the URI": "请检查 URI",
    "no server answers ({why})": "没有服务器应答（{why}）",
    "check host and port and that the server runs": "请检查主机和端口，以及服务器是否在运行",
    "?serverSelectionTimeoutMS=60000 waits longer": "?serverSelectionTimeoutMS=60000 可多等一会儿",
    "the server stopped answering ({why})": "服务器不再应答（{why}）",
    "?socketTimeoutMS=600000 waits longer": "?socketTimeoutMS=600000 可多等一会儿",
    "the connection was lost ({why})": "连接断了（{why}）",
    "check server and network and run again": "请检查服务器和网络，再运行一次",
    "user or password is wrong": "用户名或密码不对",
    "fix them in the URI, and name the user's database with ?authSource=admin": (
        "请在 URI 里改正，并用 ?authSource=admin 指明用户所在的数据库"
    ),
    "the user of the URI has no right to {doing} ({why})": "URI 中的用户没有权限（{doing}：{why}）",
    "grant it, or name another user": "请给予权限，或换一个用户",
    "the server's disk is full ({why})": "服务器的磁盘满了（{why}）",
    "make room there and run again": "请在那里腾出空间，再运行一次",
    "a document would be longer than the server's 16 MB ({why})": "有文档会超过服务器的 16 MB（{why}）",
    "leave fields out with the setting `fields`": "请用 `fields` 去掉一些字段",
    "the server cannot {doing} for the moment ({why})": "服务器暂时不能{doing}（{why}）",
    "it is asked again for {seconds} s": "还会再试 {seconds} 秒",
    "the server cannot {doing}: {why}": "服务器不能{doing}：{why}",
    "field {name} is no name of MongoDB: no part of it may be empty or begin with a dollar": (
        "{name} 不能是 MongoDB 的字段名：各部分不能为空，也不能以美元符号开头"
    ),
    "none of the first {count} documents has a field {names}: dots reach into documents, and the name {name} itself has"
    " one: read a view that renames it by $getField": (
        "前 {count} 篇文档都没有字段 {names}：点号表示进入子文档，而 {name} 的名字本身带点："
        "请读一个用 $getField 改名的视图"
    ),
    "its documents have no _id, by which they are known: let it keep _id": "它的文档没有 _id，无法区分：请保留 _id",
    "only kept records and decisions of `dedup` go to MongoDB: give a file in place of the URI": (
        "只有 `dedup` 留下的记录和取舍写进 MongoDB：请给文件，不要给 URI"
    ),
    "{name} {value} is for collections of MongoDB: leave it out for other sources": (
        "{name} {value} 用于 MongoDB 的集合：别的来源请去掉它"
    ),
    "since_field {name} and limit {limit} are both given: documents beyond the limit would never count as new ones": (
        "since_field {name} 与 limit {limit} 不能同时给：超出 limit 的文档以后不会算作新文档"
    ),
    "leave one of them out": "请去掉其中一个",
    "the document {id} has a list in field {name}, which has no place in the order of values: name a field with one"
    " value by since_field": ("文档 {id} 的字段 {name} 是列表，无法排序：请用 since_field 给只有一个值的字段"),
    "no document has a value in field {name}: name the field by which documents came in with since_field": (
        "没有一篇文档的字段 {name} 有值：请用 since_field 给按其先后加入文档的字段"
    ),
    "the document {id} has no value in field {name}: no later run takes such documents as new ones": (
        "文档 {id} 的字段 {name} 没有值：以后的运行不会把这样的文档算作新文档"
    ),
    "run {run} has read documents in the order of the field {name}: give that by since_field": (
        "运行 {run} 是按字段 {name} 的先后读的：请用 since_field 给这个字段"
    ),
    "run {run} was made without since_field, so it is not known which values of {name} it has read: leave since_field"
    " out, or give it in every run on the collection": (
        "运行 {run} 没有给 since_field，不知道它读到 {name} 的哪个值：请去掉 since_field，或对这个集合每次运行都给它"
    ),
}
"""By the English template."""
