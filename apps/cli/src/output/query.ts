import { UsageError } from '../terminal/command-error.ts'

export type Query = (value: unknown) => unknown

/**
 * Compiles a JMESPath expression. Call it before any request, so that an invalid expression fails early.
 *
 * @returns a function that throws UsageError if the expression cannot be applied to the value
 * @throws UsageError if the expression is invalid
 */
export async function compileQuery(expression: string): Promise<Query> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath')
  const guard = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new UsageError(
        `--query ${JSON.stringify(expression)} is not a valid JMESPath expression for this data: ${why}`,
      )
    }
  }
  const compiled = guard(() => compile(expression))
  type Data = Parameters<typeof TreeInterpreter.search>[1]
  // Safe: all data was parsed from JSON.
  return (value) => guard(() => TreeInterpreter.search(compiled, value as Data))
}
