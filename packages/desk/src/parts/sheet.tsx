import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A modal dialog, which the Escape key and a click beside it close. */
export function Sheet({
  label,
  className,
  onClose,
  children,
}: {
  readonly label: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
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
      onCancel={onClose}
      onClick={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
