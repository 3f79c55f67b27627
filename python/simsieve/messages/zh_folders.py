"""Messages on folders of outputs in Chinese, by templates; see `bodies`."""

FOLDERS = {
    "the sources {first} and {second} would both be {name} in the folder: rename one, or make two runs": (
        "来源 {first} 和 {second} 在文件夹里都会叫 {name}：请改一个的名字，或分两次运行"
    ),
    "the source {source} is in the folder {folder}, which is written: sources are never overwritten": (
        "来源 {source} 在要写的文件夹 {folder} 里：来源从不覆盖"
    ),
    "name another folder": "请给另一个文件夹",
    "is where a file system is mounted, so it cannot appear as a whole: name a folder in it": (
        "是文件系统的挂载点，不能整个换上：请给其中的一个文件夹"
    ),
    "is the folder in which simsieve runs, so it cannot be replaced: name another": (
        "是 simsieve 正在其中运行的文件夹，不能替换：请给另一个"
    ),
    "name a new folder or an empty one, or give the setting `replace` for one that an earlier run wrote": (
        "请给新的或空的文件夹；如果是以前运行写出的，请给 `replace`"
    ),
    "has the file {name}, which this run does not write: only a folder of files of the same names is replaced": (
        "里面有这次不写的文件 {name}：只有全是同名文件的文件夹才会替换"
    ),
    "take the file away, or name another folder": "请移走这个文件，或给另一个文件夹",
    "shard_size {value} is for a folder, and the output is {sink}: give a name that ends in /, or leave shard_size"
    " out": ("shard_size {value} 用于文件夹，而输出是 {sink}：请给以 / 结尾的名字，或去掉 shard_size"),
    "shard_size {value} is not allowed: give a number of records such as 1000000, or a size such as 256MiB": (
        "shard_size 不能是 {value}：请给记录数，例如 1000000，或大小，例如 256MiB"
    ),
    "the setting `link` is for the files of folders: leave it out for records of files": (
        "`link` 用于文件夹里的文件：文件里的记录请去掉它"
    ),
    "the output {sink} is a folder that gets a file for each source, and {why}: name a file, or give shard_size for"
    " numbered parts": "输出 {sink} 是文件夹，每个来源一个文件，而{why}：请给文件名，或用 shard_size 写成编号的文件",
    "the records are in memory": "记录在内存里",
    "standard input has no name": "标准输入没有名字",
    "a collection is no file": "集合不是文件",
    "the output {sink} is a folder that gets a file for each source, and the source {source} is a folder: give a"
    " pattern such as {example}, or make two runs": (
        "输出 {sink} 是文件夹，每个来源一个文件，而来源 {source} 是文件夹：请给模式，例如 {example}，或分两次运行"
    ),
    "the sources {names} are of different formats, and parts have one: give output_format": (
        "来源 {names} 的格式不同，而编号的文件只有一种：请给 output_format"
    ),
    "the output {sink} is in the folder {folder}, which appears as a whole: give a place outside it": (
        "输出 {sink} 在整个换上的文件夹 {folder} 里：请放到它外面"
    ),
    "the setting `replace` is for a collection of MongoDB or a folder: a file is replaced without it; leave it out": (
        "`replace` 用于 MongoDB 的集合或文件夹：文件不用它也会替换，请去掉它"
    ),
    "give the setting `shard_size`": "请给 `shard_size`",
}
