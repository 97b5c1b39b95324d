/** Flags of Node for commands that read logs. Rows are garbage soon, so a small young part of the heap is enough. */
export const nodeFlags = ['--max-semi-space-size=4']
