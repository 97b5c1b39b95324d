/** Every regular expression of the programs takes linear time on any text, or is only applied to texts of this repository and its user. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import ts from 'typescript57'
import { expect, test } from 'vitest'
import { repository } from './copy-repository.ts'

/** Expressions that `recheck` reports or cannot decide, and the texts to which the programs apply them. */
const exceptions: Readonly<Record<string, string>> = {
  '/(?:^|\\/)zone=(\\d{1,19})\\/date=(\\d{4}-\\d\\d-\\d\\d)\\/hour=(\\d\\d)\\/(\\d{8}T\\d{6}Z)-(\\d{8}T\\d{6}Z)\\.r(\\d{1,9})(\\.[a-z.]+)$/':
    'the path of a segment',
  '/(?<!\\\\)(\\\\*)"|[[\\]{}]/g': 'any text: a match begins only where no backslash precedes',
  '/(?<=\\{)[^{}]+(?=\\})/g': 'the path of an operation of the contract',
  '/("|\\\\[rn])([ \\t]*([\\w.-]+)[ \\t]*:[ \\t]*)[^\\r\\n"\\\\]*(?:\\\\(?![rn])[^\\r\\n"\\\\]*)*/g':
    'any text: from each quote and escape, it looks only as far as the next one',
  '/\\b(bearer|basic)(\\s+|%20|\\+)(?!(?:realm|error|scope|charset)=|(?:tokens?|auth|authenti\\w+|authori\\w+|credentials?|scheme|is|or|and)(?![\\w.~+/=-]))[\\w.~+/=%-]+/gi':
    'any text: from each scheme, it looks only as far as the next blank after its value',
  '/(?<![\\w-])(?=[\\w-]*\\.[\\w-]+\\.)[\\w-]*?eyJ[\\w-]*\\.[\\w-]+\\.[\\w-]*/g':
    'any text: a match begins only where no letter, digit or hyphen precedes',
  '/(?<!\\\\)(\\\\*)"(?:(?:header|key|name)\\1"\\s*:\\s*\\1"([^"\\\\]*(?:\\\\u[\\da-f]{4}[^"\\\\]*)*)\\1"\\s*,\\s*\\1"value|([^"\\\\]*(?:\\\\u[\\da-f]{4}[^"\\\\]*)*))\\1"\\s*:\\s*/gi':
    'any text: from each quote, it looks only as far as the third one after it',
  '/\\b(authorization|access-?key)(\\s*[:=] ?)[^\\r\\n,;&}"]+/gi':
    'any text: recheck proves it, but may need more than 20 s',
  '/"(?:[^"\\\\]|\\\\.)*"|-?\\d{16,40}(?![\\d.eE])/g': 'a literal in an expression of the command line',
  '/\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`/gs': 'an expression of the command line',
  '/(?<![\\w:.])(?:\\d{1,3}(?:\\.\\d{1,3}){3}|[\\da-f]*(?::[\\da-f]*){2,}(?:\\.\\d{1,3}){0,3})(?!\\w)/gi':
    'any text: a match begins only where a word begins, and its parts are separated by dots or colons',
  '/^(E(?!RR_)[A-Z_]+|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED))$/':
    'a code of an error: begins at the start of the text, one repetition',
  '/^[\\p{Default_Ignorable_Code_Point}\\p{Control}\\p{Mark}\\p{Surrogate}]*$/v':
    'any text: begins at its start, one repetition',
  '/"(?:[^"\\\\]|\\\\.)*"/g': 'valid JSON of the suite, where each string ends',
  '/"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"|-?\\d[\\d.eE+-]*/g': 'valid JSON, where each string ends',
  '/(\\d+)(ms|[smhd])/g': 'a duration of the command line',
  '/(^0)?(:0)*::$/': 'an IPv6 address, at most 45 characters',
  '/\\/date=(.+)$/': 'the path of a folder of segments',
  '/\\B(?=(\\d{3})+$)/g': 'the digits of a number',
  '/\\d+$/': 'an IPv4 address, at most 15 characters',
  '/^\\/+|\\/+$/g': 'a prefix of the configuration',
}

const files = globSync('{packages,apps}/*/src/**/*.ts', { cwd: repository }).filter(
  (file) => !/\.test\.ts$|\/gen\//.test(file),
)
/** Only an expression that repeats something without a bound can take more than linear time. */
const expressions = [...new Set(files.flatMap(literalsIn))].filter((literal) => /[*+]|,\}/.test(literal)).sort()

function literalsIn(file: string): string[] {
  const literals: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(repository, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return literals
}

async function isLinear(literal: string): Promise<boolean> {
  const end = literal.lastIndexOf('/')
  const { status } = await check(literal.slice(1, end), literal.slice(end + 1), {
    checker: 'automaton',
    timeout: 120_000, // on a busy machine
  })
  return status === 'safe'
}

test('regular expressions take linear time', async () => {
  const open = expressions.filter((literal) => !(literal in exceptions))
  const results = await Promise.all(open.map(async (literal) => ((await isLinear(literal)) ? [] : [literal])))
  expect(results.flat(), 'rewrite them, or state above which texts they meet').toEqual([])
  expect(
    Object.keys(exceptions).filter((literal) => !expressions.includes(literal)),
    'remove them above',
  ).toEqual([])
})

test('a quadratic expression is found', async () => expect(await isLinear('/a+$/')).toBe(false))
