/** Says that an editor has changes which are not saved, and discards them. */
export function DraftNote({ onDiscard }: { onDiscard: () => void }) {
  return (
    <span class="side-row">
      <span class="muted" role="status">
        Not saved
      </span>
      <button type="button" class="button is-quiet" onClick={onDiscard}>
        Discard changes
      </button>
    </span>
  )
}
