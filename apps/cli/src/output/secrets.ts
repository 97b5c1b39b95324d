/** Output hides secrets by default: keys of the account, and credentials of visitors in logs. */
import { createRedactor } from '@cdn/api/secrets'

/** Hides secrets in values, texts and headers. */
export const secrets = createRedactor()
