"""The texts of pages, reviews and evaluations in Chinese, and the help of their commands."""

REPORT = {
    "A scheme without texts has none.": "不读文本的方案没有模板族。",
    "Distance of rejected candidates, in bits: {count:,} pairs of a sample": (
        "未通过的候选对的距离（位）：样本中的 {count:,} 对"
    ),
    "Documents that were kept, and have at least a fifth of their text in common with others of their family. Read were"
    " {read:,} of {kept:,} kept documents, from each the beginning. A header, a footer or a form that does not matter"
    " can be left out with `strip` or `cut_at`.": (
        "这些文档都留下了，而每篇至少有五分之一的文字与同族其他文档相同。读了 {kept:,} 篇留下的文档中的 {read:,} 篇，"
        "每篇读开头部分。无关紧要的页眉、页脚或格式文字可用 `strip` 或 `cut_at` 去掉。"
    ),
    "Rejected candidates are pairs of kept documents that the search compared and that are not near. They are a sample,"
    " so compare where their bars are, not how high. Many of them close to the near duplicates mean that the threshold"
    " decides much.": (
        "未通过的候选对是查找时比较过、但不相似的一对留下的文档。它们只是样本，所以请比较柱的位置，不要比较高度。"
        "如果许多候选对离近似重复很近，阈值的影响就大。"
    ),
    "Similarity of rejected candidates: {count:,} pairs of a sample": "未通过的候选对的相似度：样本中的 {count:,} 对",
    "Template families": "模板族",
    "{count:,} of {read:,} documents have {share:.0%} of their text in common: {names}": (
        "{read:,} 篇中有 {count:,} 篇的文字有 {share:.0%} 相同：{names}"
    ),
    "--report-without-texts needs --report FILE.html": "--report-without-texts 需要 --report FILE.html",
    "-o FILE is missing: give a file in .html or .csv, or --verdicts FILE": (
        "缺少 -o FILE：请给 .html 或 .csv 文件，或用 --verdicts FILE"
    ),
    "; of the bands with verdicts, {percent:.1f} % of the near duplicates": (
        "；只算有判断的各段，占近似重复的 {percent:.1f} %"
    ),
    "A file of labelled pairs in place of --labels: the columns a, b and label or verdict. Other pairs do not count.": (
        "代替 --labels 的已标注的对的文件：列 a、b 和 label 或 verdict。其他的对不算。"
    ),
    "A file of labelled pairs: the columns a, b and label or verdict.": (
        "已标注的对的文件：列 a、b 和 label 或 verdict。"
    ),
    "A file of verdicts that `simsieve review` saved, as labelled pairs.": (
        "`simsieve review` 存下的判断文件，当作已标注的对。"
    ),
    "All figures as one JSON object.": "全部数字，写成一个 JSON 对象。",
    "All figures at all thresholds as one JSON object.": "所有阈值上的全部数字，写成一个 JSON 对象。",
    "Are the two texts of a pair the same for your purpose? Judge the pairs by key or button, then save. "
    "The saved file"
    " names the records and has your verdicts. simsieve review --verdicts FILE gives the precision.": (
        "对您的用途来说，一对中的两个文本是否相同？用按键或按钮判断，然后保存。存下的文件指明记录和您的判定。"
        "simsieve review --verdicts FILE 给出精确率。"
    ),
    "At the threshold": "阈值附近",
    "Charts": "图",
    "Choose a scheme and a threshold for a collection.": "为一批文本选方案和阈值。",
    "Clusters by size": "各种大小的组数",
    "Compare near pairs and clusters with labels.": "把相似的对和组与标注相比。",
    "Copies found at the chosen threshold, by the kind of edit and the share of the text that was edited.": (
        "在所选阈值上找到的副本，按改动的种类和改动占文本的比例。"
    ),
    "Count what is kept at thresholds from 0.4 to 0.95, and show a pair at the edge of each.": (
        "数一数阈值从 0.4 到 0.95 各留下多少，并各给一对边界上的文本。"
    ),
    "Curves": "曲线",
    "Distance of near duplicates to their representatives, in bits": "近似重复与其代表的距离（位）",
    "Do it again": "再做一次",
    "Draw the pairs from ten bands of similarity alike, or take those nearest to the threshold. Default: bands.": (
        "从十段相似度中均匀抽取（bands），或取最靠近阈值的（similarity）。默认：bands。"
    ),
    "Each pair has both texts, their differences, and a place for a verdict: same, different, keep a or keep b; a is"
    " the representative. The page takes verdicts by keyboard and saves a file of them. From that file the command"
    " estimates the run's precision: the share of near duplicates that are rightly dropped.": (
        "每一对有两个文本、它们的不同之处和写判断的地方：same、different、keep a 或 keep b；a 是代表。网页"
        "用键盘记下判断并存成文件。"
        "由这个文件估计这次运行的精确率：近似重复中丢弃得对的比例。"
    ),
    "Edited copies": "改动过的副本",
    "F1 does not differ significantly from that of {low:g} to {high:g}": "{low:g} 到 {high:g} 的 F1 与它分不出高下",
    "F1 differs from that of the next thresholds": "相邻阈值的 F1 与它不同",
    "Failed records": "失败的记录",
    "How many documents are sampled, without labels; at least 3. Default: 1000.": (
        "没有标注时抽取多少篇，至少 3 篇。默认：1000。"
    ),
    "How many pairs to show, at most 5000. Default: 200.": "给出多少对，最多 5000。默认：200。",
    "How sure": "有多可靠",
    "Judge the pairs of this file, which another program found: the columns a, b and, if it has it, similarity or"
    " distance.": "评判这个文件里别的程序找到的对：列 a、b，如果有，还有 similarity 或 distance。",
    "Just in: dropped with the least certainty": "刚好在内：丢弃得最没把握的",
    "Just out: kept, and nearly dropped": "刚好在外：留下了，差一点丢弃",
    "Largest clusters": "最大的组",
    "Leave the texts out of the report; it has ids and numbers only.": "报告里不放文本，只有标签和数字。",
    "Near-duplicates: {count:,} of {read:,} records": "近似重复：{read:,} 条记录中的 {count:,} 条",
    "No document represents another.": "没有代表别的文档的文档。",
    "No document was dropped as near.": "没有因相似而丢弃的文档。",
    "No document was dropped.": "没有丢弃的文档。",
    "None was found.": "没有找到。",
    "None.": "没有。",
    "Read what was judged, and print the run's precision with its interval. With -o, go on judging.": (
        "读入已有的判断，打印这次运行的精确率及其区间。与 -o 同用时接着判断。"
    ),
    "Recall is the share of the near pairs that the search found, by what the threshold calls near. It says"
    " nothing of"
    " whether people would agree: look at the pairs at the threshold, or mark a sample with `simsieve review`.": (
        "召回率是按阈值算相似的对中查找到的比例。它不说人是否同意：请看阈值附近的对，或用 `simsieve review`"
        " 判断一个样本。"
    ),
    "Recall: {value}": "召回率：{value}",
    "Save verdicts": "保存判断",
    "Schemes as good: {names}.": "一样好的方案：{names}。",
    "Settings that are not the default": "与默认不同的设置",
    "Show near duplicates with their representatives, for people to judge.": "给出近似重复和它们的代表，由人来判断。",
    "Similarity of near duplicates to their representatives": "近似重复与其代表的相似度",
    "Some kept documents are compared with all kept ones by their fingerprints; these are the nearest found. The list"
    " is a sample, not complete.": "按指纹把一部分留下的文档与全部留下的相比，这些是找到的最近的。这是抽样，不是全部。",
    "Take a saved run instead of SOURCE, at its threshold or a stricter one. Its sources must not have changed.": (
        "用存下的运行代替 SOURCE，阈值与它相同或更严。它的输入不能变过。"
    ),
    "The F1 of thresholds from {low:g} to {high:g} does not differ significantly from that of the chosen one.": (
        "阈值 {low:g} 到 {high:g} 的 F1 与所选阈值的分不出高下。"
    ),
    "The choice": "选择",
    "The field of the labels: records with one label are the same. A record without one is like no other.": (
        "标注所在的字段：标注相同的记录算同一篇。没有标注的记录与别的都不同。"
    ),
    "The figures are precision, recall and F1 of pairs, average precision, and of clusters B-cubed and the adjusted"
    " Rand index. They are given at the threshold of the settings and at the threshold with the best F1. "
    "The latter was"
    " chosen on the labels themselves, so it is optimistic.": (
        "数字是对的精确率、召回率和 F1，平均精确率，以及组的 B-cubed 和调整兰德指数。给出设置的阈值和 F1 最"
        "好的阈值上的值。"
        "后者是在这些标注上选的，所以偏好看。"
    ),
    "The least precision that is wanted; then the most recall is chosen.": "要求的最低精确率；在此之上选召回率最高的。",
    "The least recall that is wanted; then the most precision is chosen.": "要求的最低召回率；在此之上选精确率最高的。",
    "The loosest similarity to try.": "要试的最松的相似度。",
    "The page (.html) or the table (.csv, .tsv, .jsonl, .parquet) to fill in.": (
        "要填写的网页（.html）或表（.csv、.tsv、.jsonl、.parquet）。"
    ),
    "The pair is the near duplicate that is least like its representative. What near duplicates lose is in units: two"
    " of each Han, kana or Hangul character, one of any other. --similarity gives another lowest threshold,"
    " --max-distance the greatest distance. Nothing is written.": (
        "那一对是与代表最不像的近似重复。近似重复所失以单位计：汉字、假名、谚文各两个，其他字符一个。"
        "--similarity 给出另一个最低的阈值，--max-distance 给出最大的距离。"
        "不写任何文件。"
    ),
    "The recall was not measured.": "没有测召回率。",
    "The table as one JSON object.": "把表写成一个 JSON 对象。",
    "Thresholds": "阈值",
    "What the search did": "查找做了什么",
    "With several schemes these pairs are not looked for.": "用几个方案时不找这样的对。",
    "Without labels, a sample of the texts is edited in twelve ways and three strengths. A threshold is good if it"
    " finds the edited copies and no other pairs. With labels, they decide. Without a goal the best F1 is chosen.": (
        "没有标注时，抽取一些文本，用十二种方式、三种强度改动；能找到改动过的副本而不找到别的对，就是好的阈"
        "值。有标注时由标注决定。"
        "没有给目标时选 F1 最好的。"
    ),
    "Write a page of HTML on the run: counts, charts, clusters, pairs at the threshold. One file, for offline use.": (
        "把这次运行写成一个 HTML 网页：数目、图、组、阈值附近的对。只有一个文件，不用联网。"
    ),
    "Write a page of HTML with the curves.": "写出带曲线的 HTML 网页。",
    "Write the pairs that are wrong and those that were missed, as .csv, .tsv or .jsonl.": (
        "写出找错的和漏掉的对，格式为 .csv、.tsv 或 .jsonl。"
    ),
    "Write the settings with the chosen scheme and threshold as TOML, for --config.": (
        "把所选的方案和阈值连同设置写成 TOML，供 --config 用。"
    ),
    "adjusted Rand index": "调整兰德指数",
    "and {count:,} more: --failed FILE has them all": "另有 {count:,} 条：--failed FILE 里全有",
    "at {threshold:g}": "（阈值 {threshold:g}）",
    "at {threshold}: {a} ~ {b}, {near}": "阈值 {threshold}：{a} ~ {b}，{near}",
    "average precision": "平均精确率",
    "best F1": "最好的 F1",
    "best F1 {value:.4f} at {threshold:g}, average precision {average:.4f}": (
        "最好的 F1 {value:.4f}，阈值 {threshold:g}，平均精确率 {average:.4f}"
    ),
    "clear": "清除",
    "code": "代码",
    "copies not all found": "没有全部找到的副本",
    "different": "不同",
    "digest": "摘要",
    "dropped": "丢弃",
    "give either --labels FIELD or --label-pairs FILE: the labels come from one place": (
        "请给 --labels FIELD 或 --label-pairs FILE 之一：标注只能来自一处"
    ),
    "give one of --labels, --pairs and --verdicts: the labels come from one place": (
        "--labels、--pairs 和 --verdicts 只能给一个：标注只能来自一处"
    ),
    "judged": "评判的是",
    "keep a": "留 a",
    "keep b": "留 b",
    "labelled pairs": "标注为相同的对",
    "next, previous": "下一对、上一对",
    "none: no pair is found": "无：没有找到任何一对",
    "none: no pair is the same by the labels": "无：标注里没有相同的对",
    "not measured: no pair is judged": "没有测：没有判断过的对",
    "nothing reaches the goal; this is the nearest to it": "没有能达到目标的；这是最接近的",
    "position": "位置",
    "precision": "精确率",
    "precision {precision:.4f}, recall {recall:.4f}, F1 {value:.4f}": (
        "精确率 {precision:.4f}，召回率 {recall:.4f}，F1 {value:.4f}"
    ),
    "reason": "原因",
    "recipe": "配方",
    "report": "报告",
    "same": "相同",
    "scheme": "方案",
    "schemes as good": "一样好的方案",
    "similarity {value:.4f}": "相似度 {value:.4f}",
    "the settings are in {path}: simsieve dedup SOURCE -o FILE --config {path}": (
        "设置已写入 {path}：simsieve dedup SOURCE -o FILE --config {path}"
    ),
    "threshold": "阈值",
    "version": "版本",
    "{count:,} characters": "{count:,} 个字符",
    "{count:,} of {near:,} near duplicates": "{near:,} 条近似重复中的 {count:,} 条",
    "{count:,} of {near:,} near duplicates to judge": "要判断 {near:,} 条近似重复中的 {count:,} 条",
    "{count:,} pairs are wrong or were missed": "{count:,} 对找错或漏掉",
    "{count:,} pairs of the sampled documents are near at this threshold and count as wrong; if they are duplicates,"
    " the precision is better than shown: judge them with `simsieve review` and give --verdicts": (
        "抽取的文档中有 {count:,} 对按这个阈值相似，算作找错；如果它们真是重复，精确率就比这里的好：请用 "
        "`simsieve review` 判断，再给 --verdicts"
    ),
    "{count:,} verdicts are on pairs that the run did not drop: they do not count": (
        "{count:,} 个判断说的是这次运行没有丢弃的对：不算在内"
    ),
    "loses {count} units": "失去 {count} 个单位",
    "lost: {run}": "失去的一段：{run}",
    "{count} bits apart": "相差 {count} 位",
    "{done} of {all} judged": "已判断 {done}，共 {all}",
    "{name} (old)": "{name}（旧）",
    "{name}: {count:,} documents": "{name}：{count:,} 篇",
    "{scheme} at similarity {threshold:g}": "{scheme}，相似度 {threshold:g}",
    "{value:.4f} (95 % interval {low:.4f} to {high:.4f}; {part:,} of {whole:,})": (
        "{value:.4f}（95 % 区间 {low:.4f} 到 {high:.4f}；{whole:,} 中的 {part:,}）"
    ),
    "{value:.4f} (95 % interval {low:.4f} to {high:.4f}; {wrong:,} of {judged:,} judged pairs are wrong)": (
        "{value:.4f}（95 % 区间 {low:.4f} 到 {high:.4f}；判断过的 {judged:,} 对中 {wrong:,} 对不对）"
    ),
    "{value:.4f} at {threshold:g}": "{value:.4f}，阈值 {threshold:g}",
}
"""By the English text."""
