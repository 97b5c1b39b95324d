export const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
export type ApiMethod = (typeof methods)[number]
