// `node scripts/plain-language.mjs [FOLDER…]`: finds words and sentence patterns that readers have to read twice. It searches code,
// comments, messages and pages. Text without such words can still be unclear.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { trackedFiles } from './tracked-files.mjs'

/** Forbidden patterns, each with what to write instead. */
const patterns = [
  [
    /\b(is|are|was|were|as|or|it's) (no|none)\b(?! longer| more| less|-)/i,
    'say what it is: "invalid ...", "not a ..."',
  ],
  [/\bwhere (absent|nothing|none)\b/i, '"by default", "if omitted"'],
  [/\bas it comes\b|\bgone on with\b|\bby hand\b|\bso long as\b|\bat most so\b/i, 'the exact rule'],
  [/\bnobody\b|\bwhoever\b/i, "the actor's name"],
  [/\btrouble\b/i, '"transient error", "failure"'],
  [/\bbeside\b/i, '"next to", "compared with", "in addition to"'],
  [/\b(asked|told)\b/i, '"requested", "queried"; "notified", "reported"'],
  [/\b(most|least|longest|shortest|fewest|deepest|largest|highest)[A-Z]\w*/, 'max..., min...'],
  [/\b(?:const|let) (asked|told|found|own|made|kept|wanted)\b/, 'what it is: `request`, `match`, `options`'],
  [/\bdesign (?=§)|\bof (?=the design\b)/i, 'a link to a record in docs/decisions/'],
  [
    /\b(laws?|wire judge|keeper|ratchets?|verdicts?|witness(?:es)?|settled|anomal(?:y|ies))\b/i,
    'the vocabulary of docs',
  ],
]

/** Files that are not checked: this script, generated files, and text that quotes other programs. */
const excluded = /(^|\/)(gen|fixtures|recordings)\/|^scripts\/plain-language|^LICENSE|\.changeset\/|CHANGELOG/

const folders = process.argv.slice(2)
const files = trackedFiles(...folders).filter(
  (file) =>
    /\.(ts|tsx|mjs|md|yaml|yml|json|jsonc|py|sh)$/.test(file) && !excluded.test(file) && !/lock\.yaml$/.test(file),
)

let count = 0
for (const file of files) {
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    for (const [pattern, instead] of patterns) {
      const match = pattern.exec(line)
      if (!match) continue
      count++
      console.log(`${file}:${index + 1}: "${match[0]}"; write ${instead}\n    ${line.trim()}`)
    }
  }
}
console.log(`${count} in ${files.length} files`)
process.exitCode = count > 0 ? 1 : 0
