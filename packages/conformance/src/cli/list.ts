import { createPlan } from '../runner/plan.ts'

function rows() {
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

/** Returns all requirements with their checks, as JSON or as text. */
export function listRequirements(asJson = false): string {
  if (asJson) return `${JSON.stringify(rows(), null, 2)}\n`
  const lines = rows().flatMap(({ requirement, section, source, checks, unchecked }) => [
    `${requirement}  (${section}, ${source})`,
    ...checks.map(({ id, basis, effect }) => `    ${id}  through ${basis}, ${effect}`),
    ...(unchecked === undefined ? [] : [`    unchecked: ${unchecked}`]),
  ])
  return `${lines.join('\n')}\n`
}
