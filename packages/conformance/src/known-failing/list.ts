import { ConfigurationError } from '../failure.ts'
import { compile, explainError, readJson } from '../read-json.ts'

/** A check, or a requirement with all its checks, that is known to fail. */
export interface KnownFailure {
  readonly id: string
  readonly reason: string
}

const validate = compile<KnownFailure[]>({
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'reason'],
    properties: { id: { type: 'string', minLength: 1 }, reason: { type: 'string', pattern: '\\S' } },
  },
})

/**
 * Reads a list of known failures: a JSON array of `{"id", "reason"}`.
 *
 * @throws ConfigurationError in one sentence: unreadable, an unknown key, no reason, an id that is listed twice
 */
export async function readKnownFailing(file: string): Promise<readonly KnownFailure[]> {
  const list = await readJson(file, 'list of known failures')
  if (!validate(list)) {
    throw new ConfigurationError(
      `${file}: ${explainError(validate.errors?.[0]).message}; the list is an array of {"id", "reason"}.`,
    )
  }
  const twice = list.find(({ id }, index) => list.findIndex((other) => other.id === id) !== index)
  if (twice) throw new ConfigurationError(`${file}: ${twice.id} is listed twice.`)
  return list
}
