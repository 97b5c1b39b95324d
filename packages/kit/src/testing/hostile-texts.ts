/** Texts that do harm if a program does not escape them. The name of a text says what it contains or attacks. */
export const hostileTexts = {
  colour: '\u001b[31mred\u001b[0m',
  'the title of a terminal': '\u001b]0;owned\u0007',
  'the clipboard of a terminal': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'a one-byte control sequence': '\u009b2J',
  'the beginning of a line': 'safe\r\b\b\b\bevil\u007f',
  lines: 'first\r\nsecond\u2028third\u2029fourth\u0085fifth',
  'the direction of text': 'user\u202egnp.exe\u2066\u2069\u200f\u061c',
  'invisible characters': 'a\ufeffb\u00adc\u2060d\u{e0041}',
  'lone surrogates and NUL': 'lone \ud83d and \udc00\u0000\uffff',
  'a formula': '=cmd|"/c calc"!A0',
  'a formula after a space': ' \t+1+1',
  'a full-width formula': '＝1+1',
  'an address as a formula': '@SUM(1+1)',
  'a script': '</script><script>alert(1)</script>',
  'an attribute': '"><img src=x onerror="alert(1)">\'',
  'an address': 'javascript:alert(1) https://evil.invalid [a](javascript:alert(1))',
  'the end of CDATA and a comment': ']]><a/><!-- --> <?xml?> &amp;&#0; &lol;',
  'cells and code': '| cell | `code` **bold** <b> @someone #1 $x$ ```',
  'a command of a workflow': 'x\n::stop-commands::y\r\n::add-mask::z%0A::error::w',
  'an old command of a workflow': '##[add-mask]failed\n##[stop-commands]x ##[group]',
} as const satisfies Record<string, string>

/** A character that a terminal would obey or hide. Tabs and line breaks are harmless. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not appear
export const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
