/** Decides which values are secrets, and hides them. For fields of the contract, the contract decides; for others, the name does. */
import { createRedactor as create, isSecret, type Redactor, type RedactorOptions } from '@cdn/kit/secrets'
import { statedSecrets } from './gen/secrets.ts'

export { type Redactor, redacted } from '@cdn/kit/secrets'

/** Whether a field, header or parameter holds a secret. */
export function isSecretField(name: string): boolean {
  return isSecret(name, statedSecrets)
}

/** Creates a redactor for what the platform sends. */
export function createRedactor(options: Omit<RedactorOptions, 'stated'> = {}): Redactor {
  return create({ ...options, stated: statedSecrets })
}
