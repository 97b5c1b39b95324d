/** `paginate` cannot prove that it has every item of a list. It throws this error instead of omitting items. */
export class IncompleteListError extends Error {
  override readonly name = 'IncompleteListError'
}
