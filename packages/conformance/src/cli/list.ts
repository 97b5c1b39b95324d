import { createPlan } from '../core/plan.ts'

interface Row {
  readonly requirement: string
  readonly section: string
  readonly source: string
  readonly checks: readonly {
    readonly id: string
    readonly source: string
    readonly basis: string
    readonly effect: string
  }[]
  readonly unchecked?: string
}

function rows(): Row[] {
  const { checks, requirements } = createPlan()
  return requirements.map(({ id, section, source, unchecked }) => ({
    requirement: id,
    section,
    source,
    checks: checks
      .filter((check) => check.requirements.includes(id))
      .map((check) => ({ id: check.id, source: check.source, basis: check.basis, effect: check.effect })),
    ...(unchecked !== undefined && { unchecked }),
  }))
}

/** Returns all requirements with their checks as JSON. */
export function toJsonList(): string {
  return `${JSON.stringify(rows(), null, 2)}\n`
}

/** Returns all requirements with their checks as text, one line per requirement. */
export function toTextList(): string {
  return rows()
    .map(({ requirement, section, source, checks, unchecked }) =>
      [
        `${requirement}  (${section}, ${source})`,
        ...checks.map(({ id, basis, effect }) => `    ${id}  through ${basis}, ${effect}`),
        ...(unchecked === undefined ? [] : [`    unchecked: ${unchecked}`]),
      ].join('\n'),
    )
    .join('\n')
    .concat('\n')
}
