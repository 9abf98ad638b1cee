from django import template

from training.web.progress import rows

register = template.Library()

register.simple_tag(rows.lift_rows)
register.simple_tag(rows.month_rows)
register.simple_tag(rows.pin_button)
register.simple_tag(rows.shown_value)
register.simple_tag(rows.week_cells)
