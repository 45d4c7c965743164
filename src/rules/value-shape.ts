/** What must be known of the fields of observations to show them to expressions, in a form that JSON can hold. */

/** `whole`: a whole number. `other`: anything that is shown as it is. `items` and `fields`: lists and objects. */
export type ValueShape = 'whole' | 'other' | { readonly items: ValueShape } | { readonly fields: Fields };
export type Fields = Readonly<Record<string, ValueShape>>;

/** The fields of observations by their type. */
export type FieldsByType = Readonly<Record<string, Fields>>;
