/**
 * Follows reports of emulators with mixtures of variants: how many observations are equal without and with `--like`? `like.test.ts` has each
 * value alone.
 *
 *     node packages/conformance/tests/campaigns/like.ts [--mixtures N]    20 mixtures by default
 *
 * In a mixture, one variant may hide another: in a fixed window, refused requests make no difference. So it counts the observations.
 *
 * Exit 1 if an observation of a mixture differs.
 */
import { likenessOf } from '@cdn/emulator'
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { parityOf } from '../../src/verdict/parity.ts'
import { mixedServer } from '../mutants/false-alarms.ts'
import { reportOn } from '../support/like.ts'

const { mixtures } = scriptOptions({ mixtures: { type: 'string', default: '20' } })
const plain = await reportOn({})
let [same, before, of] = [0, 0, 0]
for (let seed = 1; seed <= Number(mixtures); seed++) {
  const { variants } = mixedServer(seed)
  const { report } = await reportOn(variants)
  const platform = likenessOf(report)
  const { parity } = (await reportOn(platform.variants, { likeness: platform })).report
  const unfollowed = parityOf(platform, plain.report.observations)
  same += parity?.same ?? 0
  before += unfollowed.same
  of += platform.observations.size
  console.log(`mixture ${seed}: ${unfollowed.same} before, ${parity?.same} after, of ${platform.observations.size}`)
  for (const { id, platform: there, emulator } of parity?.others ?? [])
    console.log(`  ${id}: ${JSON.stringify(there)?.slice(0, 200)} / ${JSON.stringify(emulator)?.slice(0, 200)}`)
}
console.log(`${mixtures} mixtures: ${before} of ${of} observations equal before, ${same} after`)
process.exitCode = same < of ? 1 : 0
