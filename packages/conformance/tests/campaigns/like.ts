/**
 * Follows reports of emulators with known variants. For every value of every variant: does its report give the value back? For mixtures of
 * variants: how many observations are equal without and with `--like`?
 *
 *     node packages/conformance/tests/campaigns/like.ts [--mixtures N]    20 mixtures by default
 *
 * In a mixture, one variant may hide another: in a fixed window, refused requests make no difference. So it counts the observations.
 *
 * Exit 1 if a value does not come back although its variant is observable, or if an observation of a mixture differs.
 */
import { likenessOf, observationsOf } from '@cdn/emulator'
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { parityOf } from '../../src/verdict/parity.ts'
import { mixedServer } from '../mutants/false-alarms.ts'
import { lostVariants, points, reportOn } from '../support/like.ts'

const { mixtures } = scriptOptions({ mixtures: { type: 'string', default: '20' } })
const plain = await reportOn({})
let values = 0
const lost: string[] = []
for (const [name, point] of points) {
  const observations = observationsOf(point)
  if (observations.length === 0) console.log(`${name}: not observable`)
  const only = observations.flatMap((id) => plain.checkOf.get(id) ?? [])
  for (const value of observations.length > 0 ? point.values : []) {
    values++
    const variants = { [name]: value }
    for (const line of lostVariants((await reportOn(variants, { only })).report, variants)) {
      console.log(`LOST ${line}`)
      lost.push(line)
    }
  }
}

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
console.log(
  `${values - lost.length} of ${values} values come back; ` +
    `${mixtures} mixtures: ${before} of ${of} observations equal before, ${same} after`,
)
process.exitCode = lost.length > 0 || same < of ? 1 : 0
