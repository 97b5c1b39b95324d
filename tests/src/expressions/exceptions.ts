/**
 * The expressions of the sources that `gen/proven.json` does not list, as they are written there. A new expression needs no entry if
 * the tool can prove that it takes linear time.
 */

/** Expressions that may meet texts of others. The tool has no proof for them, so their time is measured on these and other texts. */
export const measured: Readonly<Record<string, readonly string[]>> = {
  '/(?<!\\\\)((\\\\*)"authorizationHeader\\2"\\s*:\\s*\\2")(?:(?!(?<!\\\\)\\2").)*/gs': [
    '\\',
    '"authorizationHeader"',
    '"authorizationHeader":"',
    '\\\\\\"authorizationHeader\\\\\\":\\\\\\"',
    '"authorizationHeader" ',
    '"authorizationHeader":"\\"',
  ],
  '/(?<=[:,[]|^)"\\\\ud800(?:#(\\d+)|\\\\ud800((?:[^"\\\\]|\\\\.)*))"(?!:)/g': [
    ',"\\ud800\\ud800',
    ',"\\ud800\\ud800":',
    ',"\\ud800#1',
    ',"\\ud800\\ud800\\"',
  ],
  '/(?<=\\{)[^{}]+(?=\\})/g': ['{', '{a', '}a'],
  '/(?<=eyJ[\\w-]*)\\.[\\w-]*\\./': ['eyJ', 'eyJ.', '.', 'eyJ.a', 'a.', 'eyJa..'],
  '/(?<!\\/)\\/+$/': ['/', '/a', '//a'],
  '/\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b|(?<![\\da-f])[\\da-f]*(?::[\\da-f]*){2,}/gi': [
    'a',
    'a:',
    ':',
    '1.1',
    'a:a ',
    ':a ',
  ],
  '/^(08...|53...|57...|58...|40...|55P03|25P0[34]|E(?!RR_)[A-Z_]+|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED))$/': [
    'E',
    'E_',
  ],
  '/^[\\p{Default_Ignorable_Code_Point}\\p{Control}\\p{Mark}\\p{Surrogate}]*$/v': ['\u0301', '\ud800', '\u200b'],
  '/^\\p{RGI_Emoji}$/v': ['👩\u200d', '👍🏽', '🇩🇪'],
}

/** Expressions that meet only texts of this repository, of its user, or of limited length, and the reason. */
export const own: Readonly<Record<string, string>> = {
  '/"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"(\\s*:)?|-?\\d[\\d.eE+-]*/g':
    'valid JSON, where each string ends (parseJson is measured)',
  '/"(?:[^"\\\\]|\\\\.)*"/g': 'valid JSON of the suite, where each string ends',
  '/\\d+$/': 'an IPv4 address, as node:net says',
  '/\\/date=(.+)$/': 'the path of a folder of segments',
  "/\\['x-(assumed|change|resource)'\\].*$/": 'a target of a review of this repository',
  '/(^0)?(:0)*::$/': 'an IPv6 address, as node:net says',
  '/\\B(?=(\\d{3})+$)/g': 'the digits of a number',
  '/(\\d+)(ms|[smhd])/g': 'a duration among the arguments of the command line',
  "/=.*'/s": 'the message about an argument of the command line',
  '/^\\/+|\\/+$/g': 'a prefix in the configuration',
  '/\\/+$/': 'a URL in the configuration',
  '/([^/]+)\\.full\\.json$/': 'a path of this repository',
  '/^packages\\/[^/]+(?=\\/src\\/)/': 'a path of this repository',
  '/^.*node_modules\\/(?:@[^/]+\\/)?[^/]+(?=\\/)/': 'a path of this repository',
  '/(?<=\\b(?:from|import)\\b[ (]*([\'"]))@cdn\\/(\\w+)((?:\\/[\\w-]+)*)(?=\\1)/g': 'a source of this repository',
  "/^(?:import|export) (?!type\\b)(?:[\\w*][^'{\\n]*|[^'{\\n]*\\{[^}]*\\} )from '((?!node:)[^'.][^']*)'/gm":
    'a source of this repository',
  '/^(?= *\\n)|^(?! )/m': 'a spec of this repository',
  '/(<!-- sizes -->\\n)[\\s\\S]*?(\\n<!-- \\/sizes -->)/': 'a page of this repository',
  '/\\[(?:\\\\.|[^\\]\\\\]){0,200}\\]|\\\\(?:[pP]\\{[^}]*\\}|x\\p{AHex}{2}|u\\p{AHex}{4}|u\\{\\p{AHex}+\\}|.)|\\(\\?(?:[:=!]|<[=!]|<\\w+>)|\\{\\d+(?:,\\d*)?\\}|./gsu':
    'a pattern of a contract',
}

/** Expressions that are built at run time: an example that is measured, or the reason why none is needed. */
export const built: Readonly<Record<string, RegExp | string>> = {
  "new RegExp(`${fields.join('\\\\|')}(?:\\\\|${extended.join('\\\\|')})?`, 'y')":
    /([^|\r\n]*)\|(0|[1-9]\d{0,8})\|([^|\r\n]*)\|((https?):\/\/([^|/?#\r\n]*)([^|\r\n]*))(?:\|(-|0|[1-9]\d{0,14})\|([^|\r\n]*))?/y,
  "new RegExp(`,\"(${names.join('|')})\":(${anyText})`, 'g')":
    'a row that the next expression matched, so that each of its texts ends',
  'new RegExp(`\\\\{"timestamp":"[\\\\dT:.Z+-]*"${forms.join(\'\')}\\\\}`, \'y\')':
    /\{"timestamp":"[\dT:.Z+-]*"(?:(,"a":"[^"\\]*(?:\\.[^"\\]*)*")|,"a":null)?(,"b":(?:0|-?[1-9]\d{0,8}))(,"c":"[^"\\]*(?:\\.[^"\\]*)*")\}/y,
  "new RegExp(`(?:${patterns.join('|')})$`)": 'written to gen/, where it is a literal',
  'new RegExp(`^${pattern}$`)': /^\/a\/([^/]+)\/([^/]+(?:\/[^/]+)*)\/([^/]+)\.log$/,
  'new RegExp(`(?<!\\\\w)${code}(?!\\\\w)`)': /(?<!\w)rate_limited(?!\w)/,
  "new RegExp(forms.join('|'), 'g')":
    /c(?:\\{0,3}\x2f|%(?:25)?2[fF]|\\{1,3}u002[fF]|&(?:#0?47|#[xX]0?2[fF]);)d|Yy9k[+-]|MvZ/g,
  "new RegExp(`(['\\\\\\\\]|(?:(?![\\\\n\\\\t])${unsafe.source})+)`, 'u')":
    /(['\\]|(?:(?![\n\t])(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}])+)/u,
  "new RegExp(`^${part}$`, 'u')": 'single characters and a part of a pattern of a contract',
  "new RegExp(pattern, 'u')": 'values of the suite and a pattern of a contract',
  "new RegExp(`[\\\\w.-]{0,3}${odd.source}[\\\\w.-]{0,3}`, 'u')": /[\w.-]{0,3}[^\p{ASCII}]|[%+*?]+[\w.-]{0,3}/u,
  "new RegExp(`^${resource.path.replaceAll(/\\{[^{}]+\\}/g, '[^/]+')}$`)": /^\/dnszone\/[^/]+\/records$/,
  "new RegExp(value, 'u')": 'compiled only',
  "new RegExp(`(^ {2}- name: ${area}\\\\n) {4}x-unspecified:\\\\n(?: {6}.*\\\\n)*`, 'm')": 'a spec of this repository',
  'new RegExp(`[\'"]${name}[\'"/]`)': 'a source of this repository',
  "new RegExp(`^ {2}.+: '${slug}',\\\\n`, 'm')": 'a source of this repository',
}
