/** Hides Node's warnings about experimental features: Node 22 prints one for its SQLite, which would disturb programs that read the logs. */
export function hideExperimentalWarnings(): void {
  process.emitWarning = new Proxy(process.emitWarning, {
    apply: (emit, self, args) => (args[1] === 'ExperimentalWarning' ? undefined : Reflect.apply(emit, self, args)),
  })
}
