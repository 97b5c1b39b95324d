/** What the user set up cannot work: one sentence that says what and where and what would be right; exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
