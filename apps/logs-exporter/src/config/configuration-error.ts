/** Means an invalid configuration (exit code 2). The message is one sentence: what is wrong, where, and what would be right. */
export class ExporterConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
