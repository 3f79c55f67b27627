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
