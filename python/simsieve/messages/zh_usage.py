"""What click says of a wrong command line in Chinese, by templates; see `bodies`."""

USAGE = {
    "Got unexpected extra argument ({words})": "多余的参数（{words}）",
    "Got unexpected extra arguments ({words})": "多余的参数（{words}）",
    "Option {name} requires an argument.": "选项 {name} 需要一个值。",
    "Option {name} requires {count} arguments.": "选项 {name} 需要 {count} 个值。",
    "Option {name} does not take a value.": "选项 {name} 不带值。",
    "{value} is not a valid integer.": "{value} 不是整数。",
    "{value} is not a valid float.": "{value} 不是数。",
    "{value} is not one of {choices}.": "{value} 不在 {choices} 之中。",
    "Missing command.": "缺少命令。",
}
"""By the English template."""

WORDS = {
    "comma": "逗号",
    "tab": "制表符",
    "semicolon": "分号",
    "semicolons": "分号",
    "tabs": "制表符",
    "commas": "逗号",
    "a and b": "a 和 b",
    "a, b and verdict": "a、b 和 verdict",
    "none": "无",
    "no fields": "无",
    "true or false": "true 或 false",
    "a text": "文本",
    "a number": "数",
    "a whole number": "整数",
    "No such file or directory": "没有这个文件或文件夹",
    "Permission denied": "没有权限",
    "Is a directory": "是文件夹",
    "expected value": "缺少值",
    "expected ident": "不认识的词",
    "trailing characters": "后面还有多余的字符",
    "key must be a string": "键应是字符串",
    "trailing comma": "多余的逗号",
    "EOF while parsing a value": "还没有值就结束了",
    "EOF while parsing a list": "列表没有结束",
    "EOF while parsing a string": "字符串没有结束",
    "EOF while parsing an object": "对象没有结束",
    "expected `,` or `}`": "应是 `,` 或 `}`",
    "expected `,` or `]`": "应是 `,` 或 `]`",
    "expected `:`": "应是 `:`",
}
"""Values that are words."""
