"""The texts of evaluations by edited copies in Chinese, and the help of their command."""

EDITS = {
    "At most this many of them are edited. Default: 1162.": "其中至多改动这么多篇。默认：1162。",
    "At most this many texts are searched, 3 to 4000. Default: 1565.": (
        "至多在这么多篇文本中查找，3 到 4000。默认：1565。"
    ),
    "Copies found by distance, at most {share:.0%} of the words edited": (
        "各距离下找到的副本，至多改动 {share:.0%} 的词"
    ),
    "Copies found by the share of words that is edited": "改动不同比例的词时找到的副本",
    "Each scheme has its own threshold; compare the copies found with the precision below.": (
        "各方案用自己的阈值；请把找到的副本与下面的精确率对照着看。"
    ),
    "Each scheme is measured at its own threshold: words64@3bits, chars128@0.6. A copy has words deleted, moved,"
    " replaced and changed, at most the share T of them. Precision, recall and F1 are of one copy, with 10 % of its"
    " words edited, searched among all texts. The best threshold is chosen on the same copies, so its F1 is"
    " optimistic.": (
        "各方案用自己的阈值：words64@3bits、chars128@0.6。副本中至多有 T 比例的词被删除、移动、替换或改写。"
        "精确率、召回率和 F1 针对在全部文本中查找一个改动了 10 % 的词的副本。"
        "最佳阈值是在同一批副本上选的，所以它的 F1 偏乐观。"
    ),
    "Edit copies of texts, and count how many of them each scheme finds.": "改动文本的副本，统计各方案找到多少。",
    "Edit runs of 1 to 8 words, or scattered single words. Default: runs.": (
        "改动 1 到 8 个词的连续片段，或改动分散的单个词。默认：runs。"
    ),
    "Edited copies found, by scheme": "各方案找到的改动副本",
    "F1 of the draws": "各次抽取的 F1",
    "How often texts are chosen and edited anew, 1 to 100. Default: 3.": (
        "重新抽取并改动文本的次数，1 到 100。默认：3。"
    ),
    "Leave shorter texts out. Default: 800.": "不用更短的文本。默认：800。",
    "Measure MinHash of datasketch, which must be installed, and the exact Jaccard similarity, too.": (
        "也测量 datasketch 的 MinHash（须已安装）和精确的 Jaccard 相似度。"
    ),
    "Measure how well duplicates are found: by labels, or by edited copies of your texts.": (
        "测量重复找得好不好：按标注，或按您的文本的改动副本。"
    ),
    "One edited copy among all texts": "在全部文本中查找一个改动副本",
    "Precision by recall, over all thresholds": "全部阈值下的精确率与召回率",
    "Runs of 1 to 8 words are deleted, moved, replaced or changed.": "删除、移动、替换或改写 1 到 8 个词的连续片段。",
    "Share of copies found, at most T of the words edited": "找到的副本所占比例，至多改动 T 比例的词",
    "Single words all over the text are deleted, moved, replaced or changed.": (
        "删除、移动、替换或改写分散在全文各处的单个词。"
    ),
    "Texts": "文本",
    "Write all figures as .csv, .tsv, .jsonl or .parquet.": "把全部数字写成 .csv、.tsv、.jsonl 或 .parquet。",
    "`simsieve evaluate labels` needs records or pairs that people have labelled; `simsieve evaluate edits` needs texts"
    " alone.": "`simsieve evaluate labels` 需要人标注过的记录或对；`simsieve evaluate edits` 只需要文本。",
    "at threshold": "阈值",
    "{articles:,} of {read:,} documents are searched; {edited:,} of them are edited, {draws} times. Left out were"
    " {copies:,} copies, and {short:,} documents that were drawn and are too short.": (
        "在 {read:,} 篇文档中的 {articles:,} 篇里查找；其中 {edited:,} 篇被改动，共 {draws} 次。"
        "未用的有 {copies:,} 篇副本和 {short:,} 篇过短的文档。"
    ),
    "{articles:,} of {read:,} documents searched, {edited:,} edited {draws} times": (
        "在 {read:,} 篇文档中的 {articles:,} 篇里查找，改动 {edited:,} 篇，共 {draws} 次"
    ),
    "{share:.0%} of the words of each copy are edited.": "每个副本改动 {share:.0%} 的词。",
}
