/** Strict JSON parsers of other languages accept the pages of an emulator with default variants. */
import { spawnSync } from 'node:child_process'
import { createEmulator } from '@cdn/emulator'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { expect, test } from 'vitest'

/** This program rejects text that UTF-8 cannot represent, as PHP and Rust do. Python's parser without this check accepts it. */
const python = `
import json, sys
count = 0
for line in sys.stdin.buffer:
    page = json.loads(line.decode('utf-8'))
    json.dumps(page, ensure_ascii=False).encode('utf-8')
    count += len(page['data'])
print(count)
`
const php = `$count = 0;
while (($line = fgets(STDIN)) !== false) $count += count(json_decode($line, true, 512, JSON_THROW_ON_ERROR)['data']);
echo $count, "\\n";`

const parsers = [
  { program: 'python3', args: ['-c', python] },
  { program: 'php', args: ['-r', php] },
  { program: 'jq', args: ['-n', '[inputs.data | length] | add'] },
]

/** Returns five pages of the newest rows per seed, one page per line. */
async function readPages(seeds: number, variants = {}): Promise<string[]> {
  const pages: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const { fetch, loggingUrl, fixtures } = await createEmulator({ seed, variants })
    const headers = { AccessKey: fixtures.credentials.accessKey }
    for (let page = 0; page < 5; page++) {
      const zone = page % 2 === 0 ? fixtures.loggedZoneId : fixtures.otherLoggedZoneId
      const query = `to=2026-06-${17 - Math.floor(page / 2)}T14:30:00Z`
      pages.push(await (await fetch(new URL(`v2/pullzones/${zone}/logs?${query}`, loggingUrl), { headers })).text())
    }
  }
  return pages
}

function rowsOf(page: string): Record<string, unknown>[] {
  return JSON.parse(page).data
}

test('five pages of each of many seeds', async ({ annotate }) => {
  const seeds = propertyRuns(20)
  const pages = await readPages(seeds)
  const rows = pages.flatMap(rowsOf)
  expect(pages).toHaveLength(5 * seeds)
  expect(rows.length).toBeGreaterThan(80 * pages.length)
  const texts = rows.flatMap((row) => Object.values(row).filter((value) => typeof value === 'string'))
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([])
  const input = `${pages.join('\n')}\n`
  for (const { program, args } of parsers) {
    const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
    if (error) await annotate(`${program} is not installed`)
    else expect([program, status, stdout.trim(), stderr]).toEqual([program, 0, String(rows.length), ''])
  }
})

test('they reject the raw form, which is optional', async () => {
  const pages = await readPages(20, { loneSurrogates: 'raw' })
  const broken = pages.filter((page) =>
    rowsOf(page).some((row) => Object.values(row).some((value) => typeof value === 'string' && !value.isWellFormed())),
  )
  expect(broken.length).toBeGreaterThan(50)
})
