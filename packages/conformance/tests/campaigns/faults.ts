/**
 * Runs the suite against each fault of the emulator on each operation, alone and in pairs. Each cause must have its issue and its line in a
 * message.
 * `node packages/conformance/tests/campaigns/faults.ts [--pairs N] [--seed N] [--only TEXT] [--every N]`: N random pairs, 40 by default.
 * `--only` and `--every` select single faults; then there are no pairs. Prints each title once, with the number of servers that show it.
 * Exit 1 for an untrue accusation, more than two causes per fault, or a cause that lacks its issue or its line.
 */
import type { Emulator } from '@cdn/emulator'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { scriptOptions } from '@cdn/kit/testing/script-options'
import type { Report } from '../../src/index.ts'
import { syncIssues } from '../../src/memory/issues.ts'
import { summaryOf } from '../../src/memory/summary.ts'
import { causeTitle } from '../../src/report/cause-text.ts'
import { changeLines } from '../../src/report/change-text.ts'
import { withChanges } from '../../src/verdict/changes.ts'
import { faultyServers } from '../mutants/faulty-servers.ts'
import { runMatrix } from '../mutants/matrix.ts'
import type { ServerUnderTest } from '../mutants/mutant.ts'
import { createGh } from '../support/gh.ts'

const text = { type: 'string', default: '' } as const
const values = scriptOptions({
  pairs: { ...text, default: '40' },
  seed: { ...text, default: '1' },
  only: text,
  every: { ...text, default: '1' },
})
const isWhole = values.only === '' && values.every === '1'
const random = mulberry32(Number(values.seed))
const pick = () => faultyServers[Math.floor(random() * faultyServers.length)] as ServerUnderTest

const alone = faultyServers.filter(({ id }, index) => id.includes(values.only) && index % Number(values.every) === 0)
const pairs = Array.from({ length: isWhole ? Number(values.pairs) : 0 }, () => {
  const both = [pick(), pick()]
  return {
    id: both.map(({ id }) => id).join(' and '),
    breaks: both.flatMap(({ breaks }) => breaks),
    operations: both.flatMap(({ operations = [] }) => operations),
    apply: (emulator: Emulator) => {
      for (const one of both) one.apply(emulator)
    },
  }
})

let problems = 0
const show = (id: string, sentence: string) => {
  problems++
  console.log(`${id}: ${sentence}`)
}

/** Prints each cause of a failure that lacks its issue or its line in a message. */
async function showLacking(id: string, report: Report): Promise<void> {
  const whole = withChanges(report, [])
  const gh = createGh()
  await syncIssues(whole, [summaryOf(whole)], gh.run, {})
  const broken = whole.causes.filter(({ outcome }) => outcome === 'fail').map(causeTitle)
  const { new: lines } = changeLines(whole)
  const titles = gh.issues.map(({ title }) => title.replaceAll('\u2060', ''))
  const lacking = [
    ...broken.filter((title) => !titles.includes(title)).map((title) => `no issue: ${title}`),
    ...broken.filter((title) => !lines.includes(`New: ${title}`)).map((title) => `no line: ${title}`),
    ...(new Set(titles).size < titles.length ? ['two issues have one title'] : []),
  ]
  for (const one of lacking) show(id, one)
}

const counts = new Map<string, number>()
const done: Promise<void>[] = []
const maxCauses = (id: string) => (id.includes(' and ') ? 4 : 2)
await runMatrix([...alone, ...pairs], {
  onRow: ({ id, verdict }, report) => {
    const { causes = [], untrue = [] } = verdict ?? {}
    for (const title of causes) counts.set(title, (counts.get(title) ?? 0) + 1)
    if (causes.length > maxCauses(id)) show(id, `${causes.length} causes: ${causes.join('; ')}`)
    if (untrue.length > 0) show(id, `untrue: ${untrue.join(', ')}`)
    if (report) done.push(showLacking(id, report))
  },
})
await Promise.all(done)
for (const [title, count] of [...counts].toSorted()) console.log(`${String(count).padStart(4)}  ${title}`)
console.log(`${alone.length} faults, ${pairs.length} pairs: ${counts.size} titles, ${problems} problems`)
process.exitCode = problems > 0 ? 1 : 0
