/**
 * Campaign: ten stories of fourteen nights, each played with real processes and compared with an oracle.
 * `node tests/src/nights/campaign.ts [STORY...]`: only stories whose name contains one of the texts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { play } from './player.ts'
import { stories } from './stories.ts'

const wanted = process.argv.slice(2)
let differences = 0
let nights = 0
for (const story of stories.filter(({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)))) {
  const folder = mkdtempSync(join(tmpdir(), 'nights-'))
  console.log(`# ${story.name} (${story.mode})`)
  const found = await play(story, folder, (line) => console.log(line))
  for (const one of found) console.log(one)
  differences += found.length
  nights += story.nights.length
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${nights} nights, ${differences} differences from the oracle`)
process.exitCode = differences > 0 ? 1 : 0
