/**
 * Returns a value that cannot be missing here, for example an element whose index is within bounds.
 *
 * @throws Error if it is missing, which is a fault of this program
 */
export function assertDefined<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('A value that cannot be missing is missing')
  return value
}
