import type { Location, Rule, RuleContext } from '../rule.ts'

/** An interface with error codes (§7: logging) states a code for each 4xx and 5xx response, and for no other response. */
export const errorCode: Rule = () => {
  const responses: { status: string; code: unknown; at: Location }[] = []
  return {
    Response(response: { 'x-error-code'?: unknown }, { key, location }: RuleContext) {
      responses.push({ status: String(key), code: response['x-error-code'], at: location })
    },
    Root: {
      leave(_root: unknown, { report }: RuleContext) {
        if (responses.every(({ code }) => code === undefined)) return
        for (const { status, code, at } of responses) {
          const isError = /^[45]/.test(status)
          if (isError && code === undefined)
            report({ message: `The response ${status} states no \`x-error-code\`.`, location: at.key() })
          if (!isError && code !== undefined)
            report({ message: `The response ${status} is not an error; remove its \`x-error-code\`.`, location: at })
        }
      },
    },
  }
}
