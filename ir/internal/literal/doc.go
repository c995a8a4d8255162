// Package literal writes constants as the text form does, 1_u32 or 0.5_f32, and reads them back to the bit.
package literal
