/** Hides Node's warnings about experimental features: Node 22 prints one for its SQLite, and output and logs are for programs, too. */
export function hideExperimentalWarnings(): void {
  process.emitWarning = new Proxy(process.emitWarning, {
    apply: (emit, self, args) => (args[1] === 'ExperimentalWarning' ? undefined : Reflect.apply(emit, self, args)),
  })
}
