import { SuiteConfigurationError } from '../core/failure.ts'
import { compile, explainError, readJson } from '../core/read-json.ts'

/** A check, or a requirement with all its checks, that is expected to fail. */
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
 * Reads a list of expected failures: a JSON array of `{"id", "reason"}`.
 *
 * @throws ConfigurationError in one sentence: unreadable file, unknown key, missing reason, duplicate id
 */
export async function readKnownFailing(file: string): Promise<readonly KnownFailure[]> {
  const list = await readJson(file, 'list of expected failures')
  if (!validate(list)) {
    throw new SuiteConfigurationError(
      `${file}: ${explainError(validate.errors?.[0]).message}; the list is an array of {"id", "reason"}.`,
    )
  }
  const twice = list.find(({ id }, index) => list.findIndex((other) => other.id === id) !== index)
  if (twice) throw new SuiteConfigurationError(`${file}: ${twice.id} is listed twice.`)
  return list
}
