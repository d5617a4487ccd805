// Text without colours.
const plain: any = new Proxy((text: string) => text, { get: () => plain });
export default plain;
