"""Messages on objects of a store in Chinese, by templates; see `bodies`."""

S3 = {
    "objects of S3 are read and written by boto3, which is not installed: pip install 'simsieve[s3]'": (
        "读写 S3 的对象要用 boto3，它没有安装：pip install 'simsieve[s3]'"
    ),
    "names no bucket: give s3://bucket/key, with letters, digits, dots and hyphens": (
        "没有桶名：请给 s3://bucket/key，桶名用字母、数字、点和连字符"
    ),
    "names no object: give s3://bucket/key": "没有指明对象：请给 s3://bucket/key",
    "there is no such bucket": "没有这个桶",
    "check the name, and AWS_ENDPOINT_URL where the store is not Amazon's": (
        "请检查名字；若不是亚马逊的存储，也请检查 AWS_ENDPOINT_URL"
    ),
    "there is no such object": "没有这个对象",
    "there is no such object, but some are under it: give {name}": "没有这个对象，但它下面有：请给 {name}",
    "there is no object under this prefix": "这个前缀下没有对象",
    "no object matches this pattern": "没有对象符合这个模式",
    "has texts such as {name}, and texts that are a record each are read from a folder on a disk: copy them first, or"
    " give {example} to have each line as a record": (
        "有 {name} 这样的文本；每个文件一条记录的文本只从磁盘的文件夹读：请先复制，或给 {example} 把每行作一条记录"
    ),
    "none of the {count} objects under it ends as a file of records, such as {name}": (
        "它下面的 {count} 个对象，后缀都不是记录的文件，例如 {name}"
    ),
    "give a pattern or names, and input_format": "请给模式或名字，并给 input_format",
    "the settings of the store are not valid ({why})": "存储的设置不对（{why}）",
    "fix them": "请修正",
    "check AWS_PROFILE": "请检查 AWS_PROFILE",
    "the keys in use have no right to {doing} it, or it is not there ({why})": (
        "所用的密钥没有权限（{doing}），或没有它（{why}）"
    ),
    "grant the right, or use other keys": "请给予权限，或换密钥",
    "the store does not accept the keys ({why})": "存储不接受这些密钥（{why}）",
    "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE": (
        "请检查 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY，或 AWS_PROFILE"
    ),
    "the keys have expired ({why})": "密钥过期了（{why}）",
    "get new ones, as with `aws sso login`": "请取新的，例如用 `aws sso login`",
    "the bucket is in another region ({why})": "桶在另一个区域（{why}）",
    "set AWS_DEFAULT_REGION to that of the bucket": "请把 AWS_DEFAULT_REGION 设为桶所在的区域",
    "is archived, and cannot be read at once ({why})": "已归档，不能马上读（{why}）",
    "restore it first": "请先恢复",
    "the clock of this machine is wrong ({why})": "本机的时钟不对（{why}）",
    "set it": "请校准",
    "no keys were found ({why})": "没有找到密钥（{why}）",
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with AWS_PROFILE": (
        "请设 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY，或用 AWS_PROFILE 指明配置"
    ),
    "no server answers, or the connection was lost ({why})": "没有服务器应答，或连接断了（{why}）",
    "check the network and AWS_ENDPOINT_URL": "请检查网络和 AWS_ENDPOINT_URL",
    "the store cannot {doing}: {why}": "存储不能{doing}：{why}",
    "{error}; of the objects of {name}, {count} are there: run the same again, with `replace`": (
        "{error}；{name} 的对象已有 {count} 个：请用 `replace` 再运行一次"
    ),
    "its {what} was {before} when this run began, and is {after} now": (
        "它的 {what} 在这次运行开始时是 {before}，现在是 {after}"
    ),
    "go on with what it was, or remove the run directory and begin again": ("请用原来的继续，或删去运行目录重新开始"),
    "is copied to a file first, and {folder} cannot be written: {why}; free some space, or set TMPDIR, or the setting"
    " `run_dir`, to a folder with room": (
        "要先复制到文件，而 {folder} 不能写：{why}；请腾出空间，或把 TMPDIR 或 `run_dir` 设到有空间的文件夹"
    ),
    "is written to {folder} first: {why}; set TMPDIR to a folder with room": (
        "要先写到 {folder}：{why}；请把 TMPDIR 设到有空间的文件夹"
    ),
    "the output {name} gets files of records, and the sources are folders of texts: give a folder on a disk and copy"
    " it, or give a name that ends in .jsonl": (
        "输出 {name} 存记录的文件，而来源是文本的文件夹：请给磁盘上的文件夹再复制，或给以 .jsonl 结尾的名字"
    ),
}
"""By the English template."""
