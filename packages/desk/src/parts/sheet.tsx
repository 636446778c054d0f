import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog, which the Escape key, its button and a click beside it close. The focus then returns to where it was. */
export function Sheet({
  label,
  className,
  onClose,
  children,
}: {
  readonly label: string;
  readonly className: string;
  /** Called once it is closed. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => () => dialog.current?.close(), []);
  return (
    <dialog
      // Before the effects of its content, which may move the focus.
      ref={(element) => {
        dialog.current = element;
        if (element?.open === false) element.showModal();
      }}
      class={className}
      aria-label={label}
      onClose={onClose}
      onClick={({ target }) => {
        if (target === dialog.current) dialog.current?.close();
      }}
    >
      <button class="close" aria-label="Close" onClick={() => dialog.current?.close()}>
        ×
      </button>
      {children}
    </dialog>
  );
}
