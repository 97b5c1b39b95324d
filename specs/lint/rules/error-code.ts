import type { Context, Location, Rule } from '../rule.ts'

/** An interface that states error codes (§7: logging) states one for each 4xx and 5xx response, and for no other. */
export const errorCode: Rule = () => {
  const responses: { status: string; code: unknown; at: Location }[] = []
  return {
    Response(response: { 'x-error-code'?: unknown }, { key, location }: Context) {
      responses.push({ status: String(key), code: response['x-error-code'], at: location })
    },
    Root: {
      leave(_root: unknown, { report }: Context) {
        if (responses.every(({ code }) => code === undefined)) return
        for (const { status, code, at } of responses) {
          const isError = /^[45]/.test(status)
          if (isError && code === undefined)
            report({ message: `The response ${status} states no \`x-error-code\`.`, location: at.key() })
          if (!isError && code !== undefined)
            report({ message: `The response ${status} is no error and has no \`x-error-code\`.`, location: at })
        }
      },
    },
  }
}
