/** Sixty nights of all requirements and checks, for the page across nights. */
import { createPlan, type Night } from '@cdn/conformance'

const plan = createPlan()
const requirements = plan.requirements.filter(({ unchecked }) => unchecked === undefined).map(({ id }) => id)

/** Twenty incidents of some nights and ten flakes, by night and requirement. Two incidents still go on. */
function isFailing(night: number, index: number): boolean {
  const [kind, row] = [index % 6, Math.floor(index / 6)]
  if (row > 19) return false
  if (kind === 0) return night >= 3 * row && night <= 3 * row + 2 + (row % 5)
  return kind === 3 && row < 10 && (night === 5 * row + 4 || (row % 2 === 0 && night === 5 * row + 6))
}

/** The nights, oldest first. One crashed, three are missing, and in one the target was unavailable for some checks. */
export const sixtyNights: readonly Night[] = Array.from({ length: 63 }, (_, day): Night[] => {
  if ([16, 33, 48].includes(day)) return []
  const at = new Date(Date.UTC(2026, 3, 1 + day, 2, 17)).toISOString()
  const letters = requirements.map((id, index) => {
    if (day === 40 && index % 45 === 1) return [id, 'e'] as const
    return [id, isFailing(day, index) ? 'f' : index % 37 === 5 ? 's' : 'p'] as const
  })
  const failed = letters.some(([, letter]) => letter === 'f')
  return [
    {
      ...{
        at,
        target: 'live https://management.example/ https://logging.example/',
        durationMs: 240_000,
        requests: 6_800,
      },
      ...{ status: day === 27 ? 'crashed' : 'complete', exitCode: day === 27 ? 2 : Number(failed) },
      ...{ link: `../nights/live-${at.replaceAll(':', '-')}.html`, drift: [], checks: {} },
      requirements: Object.fromEntries(letters),
    },
  ]
}).flat()
