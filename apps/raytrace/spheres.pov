// spheres.pov: a ring of mirrors turns above a chequered floor, once while the clock goes from 0
// to 1.  The sky costs little and the ring much, so strips differ as tasks do.  A scene of
// Loadstar's own, under its licence.
#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 8 }

#declare COUNT = 9;

camera {
  location <0, 4, -9>
  right x * image_width / image_height
  look_at <0, 0.6, 0>
}

light_source { <8, 12, -6> color rgb <1, 0.97, 0.9> }
light_source { <-10, 6, -8> color rgb <0.25, 0.3, 0.4> shadowless }

sky_sphere {
  pigment { gradient y color_map { [0 color rgb <0.75, 0.85, 1>] [1 color rgb <0.1, 0.25, 0.6>] } }
}

plane {
  y, -1
  pigment { checker color rgb 0.85 color rgb <0.2, 0.3, 0.35> scale 1.4 }
  finish { reflection 0.15 }
}

#declare I = 0;
#while (I < COUNT)
  sphere {
    <3.2, 0.4 * sin(2 * pi * (clock + 2 * I / COUNT)), 0>, 0.9
    pigment { color rgb <0.5 + 0.5 * cos(2 * pi * I / COUNT), 0.4, 0.5 + 0.5 * sin(2 * pi * I / COUNT)> }
    finish { diffuse 0.4 specular 0.6 reflection 0.5 }
    rotate y * 360 * (clock + I) / COUNT
  }
  #declare I = I + 1;
#end

sphere {
  <0, 1.4, 0>, 1.2
  pigment { color rgbt <0.9, 0.95, 1, 0.8> }
  finish { diffuse 0.1 specular 0.8 reflection 0.2 }
  interior { ior 1.4 }
}
