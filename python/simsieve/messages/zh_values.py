"""Messages on values, keep orders and what the system says in Chinese, by templates; see `bodies`."""

VALUES = {
    "is an address, and files are read: did you mean {uri}?": "是网址，而能读的是文件：是不是 {uri}？",
    "the document with _id {names} has no field {name}": "_id 为 {names} 的文档没有字段 {name}",
    "fix the document or name the field that holds the text with text_field": (
        "请修正这篇文档，或用 text_field 指明正文字段"
    ),
    "column {name} is of type {kind}, which Parquet cannot hold ({error}): cast or drop it, or write JSON lines": (
        "列 {name} 的类型是 {kind}，Parquet 存不了（{error}）：请转换或去掉这一列，或写成 JSON lines"
    ),
    "for files also path and shortest-name": "对文件还有 path 和 shortest-name",
    "similarity {value} is outside (0, 1]: did you mean {number}?": (
        "similarity {value} 不在 (0, 1] 之内：是不是 {number}？"
    ),
    # Why there is no edit similarity.
    "RapidFuzz is not installed: pip install 'simsieve[edit]'": "没有安装 RapidFuzz：pip install 'simsieve[edit]'",
    "the scheme takes fingerprints, not texts": "方案读的是指纹，不是文本",
    "texts of {one} and {other} characters are too long; the product may be up to {most}": (
        "两篇文本有 {one} 和 {other} 字，太长；乘积最多 {most}"
    ),
    # Runs.
    "there is nothing that the setting `resume` can go on with: the run begins anew": (
        "没有可以用 `resume` 继续的运行：从头开始"
    ),
    "write the rows to a file of JSON lines, as with {command}, and name that": (
        "请把各行写成 JSON lines 文件（例如用 {command}），再用那个文件"
    ),
    "of {looked} near duplicates looked at, {count} are near by chance, such as {one} ({size} characters) and {two}"
    " ({other} characters) at {similarity}: they share short windows and no long run": (
        "看过的 {looked} 篇近似重复里，{count} 篇只是碰巧相似，例如 {one}（{size} 字）和 {two}（{other} 字），"
        "相似度 {similarity}：它们只有短窗口相同，没有长的相同片段"
    ),
    "the scheme {scheme} would tell them apart": "方案 {scheme} 能把它们分开",
    # Keep orders.
    "its records are texts and have no field {name} for the setting `keep` to compare": (
        "它的记录是文本，没有可供 `keep` 比较的字段 {name}"
    ),
    "of their files there are max:mtime, min:mtime, path and shortest-name, and of texts longest and shortest": (
        "对文件可用 max:mtime、min:mtime、path 和 shortest-name，对文本可用 longest 和 shortest"
    ),
    "texts in memory have no field {name} for the setting `keep` to compare": (
        "内存中的文本没有可供 `keep` 比较的字段 {name}"
    ),
    "give records with fields, or first, last, longest or shortest": (
        "请给带字段的记录，或用 first、last、longest、shortest"
    ),
    "none of {total} documents has a number or a text in {field}: keep does not order by it": (
        "{total} 篇文档的 {field} 都没有数或文本：keep 不按它排序"
    ),
    "name a field with numbers, texts or dates": "请指明有数、文本或日期的字段",
    "of the values of {field}, by which keep orders, {numbers} are numbers and {texts} are none, such as {example}:"
    " numbers precede texts": (
        "keep 所比较的 {field} 中，{numbers} 个值是数，{texts} 个不是，如 {example}：数排在文本之前"
    ),
    "correct the others, or empty them": "请改正其余的值，或留空",
    "keep compares the values of {field} as texts, in which {one} is before {other}: write dates as 2024-01-31 and in"
    " one time zone, and numbers without words": (
        "keep 把 {field} 的值当文本比较，{one} 排在 {other} 之前：日期请写成 2024-01-31 并用同一时区，数请不带文字"
    ),
}
"""By the English template."""

SAID = {
    # Collections.
    "in the collection": "集合中共有",
    "failed _ids": "失败的 _id",
    " and {count:,} more": "，另有 {count:,} 个",
    "fields of the first": "首个失败文档的字段",
    "RUN is missing: `simsieve mongo runs {uri}` lists the runs": "缺 RUN：`simsieve mongo runs {uri}` 可列出各次运行",
    # What the command line says of the system and of its words.
    "{value} is not valid UTF-8: give a text in UTF-8": "{value} 不是有效的 UTF-8：请给 UTF-8 文本",
    "{value} is no text in UTF-8: give names and values in UTF-8": "{value} 不是 UTF-8 文本：名字和值都请用 UTF-8",
    "-: standard output is closed; leave it open, or write to a file": "-：标准输出已关闭；请让它开着，或写到文件",
    "a value is nested too deep; make it flatter, or leave it out": "有一个值嵌套太深；请改浅，或去掉它",
    "the current folder cannot be found ({why}): change to one that exists": (
        "找不到当前文件夹（{why}）：请换到一个存在的文件夹"
    ),
    "{name}: the system says: {why}": "{name}：系统报告：{why}",
    "the system says: {why}": "系统报告：{why}",
}
"""By the English text."""
