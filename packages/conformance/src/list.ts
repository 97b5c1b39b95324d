import { createPlan } from './plan.ts'

interface Row {
  readonly requirement: string
  readonly section: string
  readonly ground: string
  readonly checks: readonly {
    readonly id: string
    readonly ground: string
    readonly through: string
    readonly effect: string
  }[]
  readonly unchecked?: string
}

function rows(): Row[] {
  const { checks, requirements } = createPlan()
  return requirements.map(({ id, section, ground, unchecked }) => ({
    requirement: id,
    section,
    ground,
    checks: checks
      .filter((check) => check.requirements.includes(id))
      .map((check) => ({ id: check.id, ground: check.ground, through: check.through, effect: check.effect })),
    ...(unchecked !== undefined && { unchecked }),
  }))
}

/** Every requirement with its checks, as JSON. */
export function toJsonList(): string {
  return `${JSON.stringify(rows(), null, 2)}\n`
}

/** The same for people: a line a requirement, a line a check. */
export function toTextList(): string {
  return rows()
    .map(({ requirement, section, ground, checks, unchecked }) =>
      [
        `${requirement}  (${section}, ${ground})`,
        ...checks.map(({ id, through, effect }) => `    ${id}  through ${through}, ${effect}`),
        ...(unchecked === undefined ? [] : [`    unchecked: ${unchecked}`]),
      ].join('\n'),
    )
    .join('\n')
    .concat('\n')
}
