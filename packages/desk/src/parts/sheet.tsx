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
  // Before the effects of its content, which may move the focus.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
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
