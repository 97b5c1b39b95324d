import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { hostileReport, hostileText, sampleCheck } from '../../../tests/support/samples.ts'
import type { CheckRun } from '../../exchange/run-types.ts'
import { conclude } from '../../memory/conclude.ts'
import { runConformance } from '../cli.ts'
import { createProgressLine } from './progress.ts'

const folder = temporaryFolder()

function streamOf(isTTY: boolean, columns = 60) {
  const written: string[] = []
  return { written, isTTY, columns, write: (text: string) => written.push(text) }
}

const run = (id: string, outcome: 'pass' | 'fail'): CheckRun => ({
  result: { ...sampleCheck, id, outcome },
  observations: [],
  breaches: [],
  operations: [],
})

test('on a terminal one line is rewritten within the width, and finally removed', () => {
  const stream = streamOf(true)
  const progress = createProgressLine(stream)
  progress.show(3)
  progress.show(3, run('a.check', 'fail'))
  progress.show(3, run(hostileText, 'pass'))
  progress.clear()
  expect(stream.written.slice(0, 2)).toEqual(['\r\u001b[2K0/3 starting', '\r\u001b[2K1/3 1 failed a.check'])
  for (const text of stream.written) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(text.replace('\r\u001b[2K', '')).not.toMatch(/[\u0000-\u001f\u009b\u202e]/)
    expect(text.length).toBeLessThan(60 + 5)
  }
  expect(stream.written.at(-1)).toBe('\r\u001b[2K')
})

test('without a terminal nothing is written', () => {
  const stream = streamOf(false)
  const progress = createProgressLine(stream)
  progress.show(3, run('a.check', 'fail'))
  progress.clear()
  expect(stream.written).toEqual([])
})

test('in a job of GitHub Actions, no output is a command of the workflow', async () => {
  const streams = { out: streamOf(false), err: streamOf(false) }
  for (const command of ['##[add-mask]failed', '###[add-mask]failed', '::stop-commands::x', 'x ::add-mask::failed'])
    expect(await runConformance([command], { GITHUB_ACTIONS: 'true' }, streams)).toBe(2)
  const file = join(folder, 'summary.md')
  const said = { ...hostileReport, status: 'crashed', problems: ['##[group]x ::error::y'] } as const
  await conclude(said, { out: join(folder, 'live'), summary: file })
  const texts = [...streams.err.written, ...streams.out.written, readFileSync(file, 'utf8')]
  expect(texts).toHaveLength(5)
  for (const text of texts) expect(text).not.toMatch(/##\[|::/)
})
